/**
 * Texts as in transcripts, files and logs, each with its secrets marked. If a secret has its own
 * context (an assignment, a header, a file format), the context is one that people really write.
 */

/** @typedef {{ kind: string, value: string }} Labelled */
/** @typedef {{ name: string, text: string, secrets: Labelled[] }} LabelledText */

/**
 * @param {ReturnType<import('./shapes.mjs').makeShapes>} shapes
 * @returns {LabelledText[]}
 */
export function positives(shapes) {
  const texts = [];
  /** @param {string} name @param {(secret: (kind: string, value: string) => string) => string} write */
  const add = (name, write) => {
    const secrets = [];
    const text = write((kind, value) => {
      secrets.push({ kind, value });
      return value;
    });
    texts.push({ name, text, secrets });
  };
  const { password, passphrase, alnum, hex, base64, uuid, safe, pem, jwt, PRIVATE, json64 } = shapes;

  const places = [
    ['said', (value) => `Sure, here it is: ${value}\nDelete it when you are done.`],
    ['quoted', (value) => `I ran it with \`${value}\` and got a 401, so it may have expired.`],
    ['in JSON', (value) => `{\n  "name": "prod",\n  "credential": "${value}",\n  "scopes": ["read"]\n}`],
    ['in a log', (value) => `2026-01-02T10:11:12Z [build] fetching with ${value} (attempt 1/3)`],
    ['in a tool result', (value) => `[result]\n$ cat .secrets\n${value}\n\nAssistant:\nI see one line.`],
    ['in a URL', (value) => `GET https://api.example.com/v1/items?page=2#${value} 200 12ms`],
    ['in escaped JSON', (value) => `{"arguments":"{\\"command\\":\\"run --with '${value}'\\"}"}`],
    ['in a diff', (value) => `@@ -1,2 +1,2 @@\n-  key: old\n+  key: "${value}",\n`],
  ];
  let place = 0;
  for (const [kind, make] of Object.entries(shapes.tokens)) {
    for (let turn = 0; turn < 2; turn += 1) {
      const value = make();
      const whole = /\s|^https?:/.test(value);
      const usable = whole ? places.slice(0, 4) : places;
      const [where, write] = usable[place % usable.length];
      place += 1;
      add(`${kind} ${where}`, (secret) => write(secret(kind, value)));
    }
  }

  add('.env', (s) =>
    [
      'NODE_ENV=production',
      `DATABASE_PASSWORD=${s('env password', password())}`,
      `JWT_SECRET="${s('env secret', base64(32))}"`,
      `SESSION_SECRET=${s('env secret', passphrase())}`,
      `STRIPE_API_KEY='${s('env api key', alnum(32))}'`,
      `TWILIO_AUTH_TOKEN=${s('twilio auth token', hex(32))}`,
      `DD_API_KEY=${s('datadog api key', hex(32))}`,
      `DD_APP_KEY=${s('datadog app key', hex(40))}`,
      `HEROKU_API_KEY=${s('heroku key in env', uuid())}`,
      `CLOUDFLARE_API_KEY=${s('cloudflare global key', hex(37))}`,
      `CF_API_TOKEN=${s('cloudflare token in env', safe(40))}`,
      `AWS_SECRET_ACCESS_KEY=${s('aws secret', base64(30))}`,
      `AWS_SESSION_TOKEN=${s('aws session token', `IQoJb3JpZ2luX2VjE${base64(150)}`)}`,
      `MAILGUN_KEY=${s('env key', hex(32))}`,
      `APP_KEY=base64:${s('laravel app key', base64(32))}`,
      `ENCRYPTION_KEY=${s('env encryption key', hex(64))}`,
      `REDIS_URL=redis://:${s('url password', alnum(24))}@cache.internal:6379/0`,
      `SMTP_PASS=${s('env password', alnum(16))}`,
      `DB_PWD=${s('env password', password())}`,
      `ALGOLIA_ADMIN_KEY=${s('algolia key', hex(32))}`,
      `GRAFANA_ADMIN_PASSWORD=${s('env password', passphrase())}`,
    ].join('\n'),
  );
  add('shell history', (s) =>
    [
      'cd ~/src/shop',
      `export GITHUB_PASSWORD=${s('export', password())}`,
      `export API_TOKEN="${s('export', alnum(40))}"`,
      `curl -u admin:${s('curl -u', password())} https://registry.internal/v2/_catalog`,
      `curl --user 'deploy:${s('curl --user', alnum(20))}' -X POST https://ci.internal/job`,
      `curl -H "Authorization: Bearer ${s('bearer', safe(48))}" https://api.internal/me`,
      `curl -H 'X-Api-Key: ${s('x-api-key', alnum(32))}' https://api.internal/v2`,
      `curl -H "PRIVATE-TOKEN: ${s('private-token header', safe(20))}" https://git.internal/api/v4/projects`,
      `mysql -h db -u root -p${s('mysql -p', password())} shop`,
      `mysqldump -uroot -p'${s('mysql -p', password())}' shop > dump.sql`,
      `PGPASSWORD=${s('pgpassword', password())} psql -h db -U app`,
      `sshpass -p '${s('sshpass', password())}' ssh root@10.0.0.5`,
      `sshpass -p ${s('sshpass', alnum(14))} scp a b@c:`,
      `redis-cli -h cache -a ${s('redis-cli -a', alnum(20))} ping`,
      `docker login -u me -p ${s('docker login', alnum(24))} registry.internal`,
      `docker run -e MYSQL_ROOT_PASSWORD=${s('docker -e', password())} mysql:8`,
      `helm install x --set auth.password=${s('helm --set', alnum(16))}`,
      `wget --user=me --password=${s('wget', password())} https://files.internal/a.tgz`,
      `git clone https://oauth2:${s('url password', alnum(26))}@git.internal/a/b.git`,
      `git clone https://${s('url token', alnum(40))}@git.internal/a/b.git`,
      `mongosh "mongodb+srv://app:${s('url password', alnum(18))}@cluster0.mongodb.net/x"`,
      `psql postgresql://app:${s('url password', password().replace(/[#%&]/g, '.'))}@db:5432/shop`,
      `openssl enc -aes-256-cbc -pass pass:${s('openssl -pass', passphrase())} -in a -out b`,
      `zip -P ${s('zip -P', password())} backup.zip dump.sql`,
      `echo ${s('piped password', password())} | docker login --password-stdin -u me`,
      `aws configure set aws_secret_access_key ${s('aws secret', base64(30))}`,
      `npm config set //registry.npmjs.org/:_authToken=${s('npm auth token', uuid())}`,
      `vault login ${s('vault legacy token', `s.${alnum(24)}`)}`,
      `http POST api.internal/login password=${s('httpie', password())}`,
    ].join('\n'),
  );
  add(
    'docker-compose',
    (s) =>
      `services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: ${s('yaml password', password())}\n      - MINIO_SECRET_KEY=${s('yaml list', alnum(40))}\n  app:\n    environment:\n      - RABBITMQ_DEFAULT_PASS=${s('yaml list', passphrase())}\n      - "JWT_SECRET=${s('yaml list', base64(24))}"\n      DATABASE_URL: "postgres://app:${s('url password', alnum(20))}@db/app"\n`,
  );
  add(
    'k8s',
    (s) =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: ${s('k8s data', Buffer.from(password()).toString('base64'))}\n  api-key: ${s('k8s data', Buffer.from(alnum(32)).toString('base64'))}\nstringData:\n  token: ${s('k8s string data', alnum(32))}\n`,
  );
  add(
    'kubeconfig',
    (s) =>
      `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\n    client-key-data: ${s('kubeconfig key', Buffer.from(`-----BEGIN RSA ${PRIVATE}-----\n${alnum(300)}`).toString('base64'))}\n- name: bot\n  user:\n    token: ${s('kubeconfig token', jwt())}\n`,
  );
  add('service account', (s) =>
    JSON.stringify(
      {
        type: 'service_account',
        project_id: 'shop-1234',
        private_key_id: hex(40),
        private_key: '§',
        client_email: 'bot@shop-1234.iam.gserviceaccount.com',
        client_id: '113344556677889900112',
      },
      null,
      2,
    ).replace('§', () => s('service account key', pem(PRIVATE).join('\\n'))),
  );
  for (const label of [
    `RSA ${PRIVATE}`,
    `OPENSSH ${PRIVATE}`,
    `EC ${PRIVATE}`,
    `ENCRYPTED ${PRIVATE}`,
    `PGP ${PRIVATE} BLOCK`,
  ]) {
    add(label, (s) => `[result]\n${s('private key', pem(label).join('\n'))}\n\nDone.`);
  }
  add(
    'putty',
    (s) =>
      `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5AAAAI\nabc\nPrivate-Lines: 1\n${s('putty private key', base64(48))}\nPrivate-MAC: ${hex(64)}\n`,
  );
  add('headers', (s) =>
    [
      '> GET /me HTTP/2',
      `> Authorization: Bearer ${s('bearer', safe(64))}`,
      `> authorization: Basic ${s('basic', Buffer.from(`admin:${password()}`).toString('base64'))}`,
      `> Authorization: Token ${s('authorization token', hex(40))}`,
      `> Cookie: theme=dark; session=${s('cookie', safe(43))}; lang=en`,
      `> X-Auth-Token: ${s('x-auth-token', alnum(32))}`,
      `> Proxy-Authorization: Basic ${s('basic', Buffer.from(`proxy:${password()}`).toString('base64'))}`,
      '< HTTP/2 200',
      `< Set-Cookie: session=${s('set-cookie', safe(64))}; Path=/; HttpOnly; Secure`,
      `< set-cookie: connect.sid=${s('set-cookie', `s%3A${safe(32)}.${safe(43)}`)}; Path=/`,
      `< Set-Cookie: JSESSIONID=${s('set-cookie', hex(32).toUpperCase())}; Path=/app`,
      `< set-cookie: auth_token=${s('set-cookie', alnum(40))}; Max-Age=3600`,
    ].join('\n'),
  );
  add('URLs', (s) =>
    [
      `https://api.internal/v1/x?token=${s('?token=', alnum(32))}&page=2`,
      `https://maps.internal/js?v=3&api_key=${s('&api_key=', safe(39))}`,
      `https://app.internal/cb?code=${s('oauth code', `4/0A${safe(60)}`)}&state=xyz`,
      `https://app.internal/#access_token=${s('#access_token=', safe(120))}&token_type=bearer`,
      `https://b.s3.amazonaws.com/a.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Signature=${s('signed URL', hex(64))}`,
      `https://acc.blob.core.windows.net/c/f?sv=2024-08-04&se=2026-01-01&sr=b&sp=r&sig=${s('azure SAS', encodeURIComponent(base64(32)))}`,
      `https://storage.googleapis.com/b/o?X-Goog-Credential=x&X-Goog-Signature=${s('signed URL', hex(512))}`,
      `https://${s('sentry dsn', hex(32))}:${s('sentry dsn', hex(32))}@o12.ingest.sentry.io/34`,
      `SENTRY_DSN=https://${s('sentry dsn', hex(32))}@o4501.ingest.us.sentry.io/4505`,
      `https://app.internal/reset?password_reset_token=${s('reset token', safe(43))}`,
      `https://hooks.internal/build?secret=${s('?secret=', alnum(24))}`,
      `https://user:${s('url password', password().replace(/[#%&]/g, '.'))}@files.internal/a`,
      `ftp://backup:${s('url password', alnum(14))}@10.1.1.1/dump`,
      `amqps://svc:${s('url password', alnum(22))}@mq.internal:5671/prod`,
      `https://outlook.office.com/webhook/${uuid()}@${uuid()}/IncomingWebhook/${s('teams webhook', hex(32))}/${uuid()}`,
    ].join('\n'),
  );
  add('connection strings', (s) =>
    [
      `Server=tcp:shop.database.windows.net,1433;Initial Catalog=shop;User ID=app;Password=${s('connection string', password())};Encrypt=True;`,
      `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${s('azure account key', base64(64))};EndpointSuffix=core.windows.net`,
      `Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=${s('azure service bus', base64(32))}`,
      `jdbc:postgresql://db:5432/shop?user=app&password=${s('jdbc', alnum(18))}`,
      `jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=${s('jdbc', password())}`,
      `Data Source=db;User Id=app;Pwd=${s('connection string', alnum(15))};`,
      `host=db port=5432 user=app password=${s('libpq', alnum(16))} dbname=shop`,
      `AccountEndpoint=https://c.documents.azure.com:443/;AccountKey=${s('cosmos key', base64(64))};`,
    ].join('\n'),
  );
  add(
    '.netrc',
    (s) =>
      `machine api.heroku.com\n  login me@example.org\n  password ${s('netrc', alnum(36))}\nmachine git.internal login bot password ${s('netrc', password())}\n`,
  );
  add(
    '.pgpass',
    (s) =>
      `db.internal:5432:shop:app:${s('pgpass', password().replaceAll(':', '.'))}\n*:*:*:admin:${s('pgpass', alnum(20))}\n`,
  );
  add(
    '.npmrc',
    (s) =>
      `registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${s('npmrc token', uuid())}\n//npm.internal/:_password=${s('npmrc password', Buffer.from(password()).toString('base64'))}\n_auth=${s('npmrc auth', Buffer.from(`me:${password()}`).toString('base64'))}\n`,
  );
  add(
    '.pypirc and gradle',
    (s) =>
      `[pypi]\nusername = __token__\npassword = ${s('pypirc', `py${'pi'}-AgEIcHlwaS5vcmc${safe(120)}`)}\n\nsigning.password=${s('gradle', password())}\nsonatypePassword=${s('gradle', password())}\nstorePassword=${s('gradle', alnum(14))}\n`,
  );
  add(
    '.docker/config.json',
    (s) =>
      `{"auths":{"registry.internal":{"auth":"${s('docker auth', Buffer.from(`me:${password()}`).toString('base64'))}"},"ghcr.io":{"identitytoken":"${s('docker identity token', safe(80))}"}}}`,
  );
  add(
    'maven settings',
    (s) =>
      `<server>\n  <id>nexus</id>\n  <username>deploy</username>\n  <password>${s('xml', password().replace('&', '+'))}</password>\n</server>\n<add key="ApiKey" value="${s('xml attribute', alnum(32))}" />\n<connection password="${s('xml attribute', password().replace('&', '+'))}"/>\n`,
  );
  add('htpasswd, shadow, hashes', (s) =>
    [
      `admin:${s('htpasswd hash', `$apr1$${alnum(8)}$${alnum(22)}`)}`,
      `bob:${s('bcrypt hash', `$2y$10$${alnum(53)}`)}`,
      `root:${s('shadow hash', `$6$${alnum(16)}$${alnum(86)}`)}:19700:0:99999:7:::`,
      `me:${s('shadow hash', `$y$j9T$${alnum(22)}$${alnum(43)}`)}:19700:0:99999:7:::`,
      `password_hash: "${s('argon2 hash', `$argon2id$v=19$m=65536,t=3,p=4$${alnum(22)}$${alnum(43)}`)}"`,
      `SECRET_HASH=${s('pbkdf2 hash', `pbkdf2_sha256$600000$${alnum(22)}$${base64(32)}`)}`,
    ].join('\n'),
  );
  add('code', (s) =>
    [
      `const client = new Client({ apiKey: '${s('code', alnum(40))}', region: 'eu' });`,
      `db_password = "${s('code', password())}"`,
      `auth: { user: 'app', pass: '${s('code', passphrase())}' },`,
      `client_secret = '${s('code', alnum(48))}'`,
      `config.secret_key_base = "${s('code', hex(128))}"`,
      `SECRET_KEY = 'django-insecure-${s('django secret', alnum(50))}'`,
      `$password = '${s('code', password())}';`,
      `define('AUTH_KEY', '${s('wordpress salt', `${alnum(20)}!${alnum(20)}&${alnum(22)}`)}');`,
      `String token = "${s('code', hex(40))}";`,
      `os.environ["OPENAI_API_KEY"] = "${s('code', alnum(51))}"`,
      `requests.get(url, auth=("me", "${s('requests auth', password())}"))`,
      `private_key = "0x${s('ethereum key', hex(64))}"`,
      `signer := hmac.New(sha256.New, []byte("${s('hmac key', alnum(40))}"))`,
    ].join('\n'),
  );
  add(
    'terraform',
    (s) =>
      `variable "db_password" {\n  default = "${s('terraform', password())}"\n}\nprovider "aws" {\n  access_key = "${s('aws access key id', shapes.tokens['aws access key id']())}"\n  secret_key = "${s('aws secret', base64(30))}"\n}\nadmin_password = "${s('terraform', password())}"\n`,
  );
  add('CI', (s) =>
    [
      '##[group]Run deploy',
      'env:',
      `  DEPLOY_TOKEN: ${s('CI env', alnum(40))}`,
      `  VAULT_TOKEN: ${s('CI env', `hv${'s.'}${safe(24)}`)}`,
      '##[endgroup]',
      `+ ./deploy.sh --password ${s('flag', password())} --env prod`,
      `+ ./deploy.sh --token=${s('flag', alnum(32))}`,
      `Logging in with username bot and password ${s('log', password())}`,
      `time=10:11 level=info msg="config" api_key=${s('logfmt', alnum(32))} port=80`,
      `{"level":"debug","headers":{"authorization":"Bearer ${s('bearer', safe(40))}","x-api-key":"${s('x-api-key', alnum(30))}"}}`,
    ].join('\n'),
  );
  add('conversation', (s) =>
    [
      'User:',
      `the root password is ${s('said password', password())}, please don't write it down`,
      '',
      'Assistant:',
      'I log in with it.',
      '',
      `[tool bash] PASSWORD='${s('said password', password())}' ./run.sh`,
      '',
      '[result]',
      `Your new API key: ${s('shown key', alnum(40))}`,
      `Secret access key : ${s('shown key', base64(30))}`,
      `client secret -> ${s('shown key', alnum(36))}`,
      '',
      'User:',
      `my wifi passphrase: ${s('said password', password())}`,
      `login: admin / ${s('said password', password())}`,
      `use token ${s('said token', hex(40))} for now`,
    ].join('\n'),
  );
  add(
    'wireguard, ssh config, rclone',
    (s) =>
      `[Interface]\nPrivateKey = ${s('wireguard', base64(32))}\nPresharedKey = ${s('wireguard', base64(32))}\n\n[remote]\ntype = s3\nsecret_access_key = ${s('rclone', base64(30))}\npass = ${s('rclone', safe(30))}\n`,
  );
  add(
    'cookies file and session storage',
    (s) =>
      `.internal\tTRUE\t/\tTRUE\t1790000000\tsessionid\t${s('cookie jar', alnum(32))}\n{"refresh_token":"${s('refresh token', safe(64))}","id_token":"${s('jwt', jwt())}","expires_in":3600}\n`,
  );
  add(
    'ansible, 2fa',
    (s) =>
      `ansible_become_pass: ${s('ansible', password())}\nansible_ssh_pass=${s('ansible', alnum(14))}\notpauth://totp/Shop:me?secret=${s('totp', shapes.from(shapes.BASE32, 32))}&issuer=Shop\nTOTP_SECRET=${s('totp', shapes.from(shapes.BASE32, 32))}\n`,
  );
  add(
    'firebase, apple, misc tokens in settings',
    (s) =>
      `{"fcm_server_key": "AAAA${s('fcm key', `${alnum(7)}:APA91b${safe(134)}`)}", "accessKeySecret": "${s('alibaba secret', alnum(30))}", "appSecret": "${s('app secret', hex(32))}", "webhookSecret": "${s('webhook secret', hex(40))}", "consumer_secret": "${s('twitter secret', alnum(50))}", "bot_token": "${s('settings token', `${json64({ a: 1 })}${alnum(30)}`)}"}`,
  );
  add('forms of assignments', (s) =>
    [
      `var shopToken string = "${s('go', alnum(32))}"`,
      `$shopToken .= "${s('php', alnum(32))}";`,
      `SHOP_TOKEN ::= "${s('make', alnum(32))}"`,
      `SHOP_TOKEN ?= ${s('make', alnum(32))}`,
      `SHOP_TOKEN += "${s('make', alnum(32))}"`,
      `shopToken ??= "${s('php', alnum(32))}";`,
      `shop_token: |\n  ${s('yaml block', alnum(32))}`,
      `shop_token: >-\n  ${s('yaml block', alnum(32))}`,
      `access_token:\n    '${s('next line', alnum(40))}',`,
      `<shopToken>\n    ${s('xml', alnum(32))}\n</shopToken>`,
      `<entry>\n  <key>db_password</key>\n  <value>${s('xml', password().replace('&', '+'))}</value>\n</entry>`,
      `<key>apiSecret</key>\n<string>${s('plist', alnum(24))}</string>`,
      `<property name="connection.password">${s('xml', password().replace('&', '+'))}</property>`,
      `shopToken,${s('csv', alnum(32))},2026-01-01`,
      `- name: DB_PASSWORD\n  value: "${s('named value', password())}"`,
      `{"key":"API_TOKEN","value":"${s('named value', alnum(30))}"}`,
      `[{\\"name\\":\\"API_SECRET\\",\\"value\\":\\"${s('named value', alnum(30))}\\"}]`,
      `AWS Secret Access Key [None]: ${s('aws configure', base64(30))}`,
      `NSString *apiKey = @"${s('objective-c', alnum(32))}";`,
      `api_key "${s('quoted', alnum(32))}";`,
      `user/pw: master/${s('doc', `Ihq${alnum(4)}9Gg`)}`,
      `wifi pw: ${s('doc', password())}`,
      `wpa psk="${s('psk', password())}"`,
      `GITHUB_PAT=${s('pat', alnum(40))}`,
      `azure_openai_key=${s('issuer key', hex(32))}`,
      `atlassian_key = "${s('issuer key', alnum(24))}"`,
      `SECRET_KEY = 'zh!=!gq(w^_t[${s('django', `${alnum(20)}x)HI+$eh*(9[`)}'`,
    ].join('\n'),
  );
  add('calls', (s) =>
    [
      `source.setPassword("${s('call', password())}");`,
      `new ApiKey('${s('call', alnum(32))}')`,
      `client := New(WithAPIKey("${s('call', alnum(32))}"))`,
      `os.environ.setdefault("SECRET_KEY", "${s('default', alnum(40))}")`,
      `const secret = process.env.JWT_SECRET || '${s('default', alnum(32))}';`,
      `req.Header.Add("X-Api-Key", "${s('header', alnum(32))}")`,
      `new NetworkCredential("bob", "${s('call', password())}")`,
      `DriverManager.getConnection("jdbc:mysql://db/x", "app", "${s('call', password())}");`,
      `mysqli_connect("localhost", "shop", "${s('call', password())}", "shop");`,
      `CREATE USER 'app'@'%' IDENTIFIED BY '${s('sql', password())}';`,
      `ALTER USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '${s('sql', password())}';`,
      `jwt.sign(payload, '${s('jwt secret', alnum(32))}', { expiresIn: 3600 })`,
      `connect("${s('aws access key id', shapes.tokens['aws access key id']())}", "${s('aws secret', base64(30))}")`,
    ].join('\n'),
  );
  add('commands', (s) =>
    [
      `echo 'root:${s('chpasswd', password())}' | chpasswd`,
      `echo ${s('sudo -S', password())} | sudo -S apt-get update`,
      `curl -X POST https://api.internal/x \\\n  -H 'Accept: text/plain' \\\n  -u deploy:${s('curl -u', password())}`,
      `curl -u "${s('curl key', alnum(32))}:" https://api.internal/charges`,
      `curl --oauth2-bearer "${s('bearer', base64(16))}" https://api.internal`,
      `sqlcmd -S db -U sa -P ${s('sqlcmd', password())} -Q "select 1"`,
      `mongodump -u app -p ${s('mongo', password())} --db x`,
      `ldapsearch -x -D cn=admin -w ${s('ldap', password())} -b dc=x`,
      `smbclient //srv/share -U bob%${s('smb', password())}`,
      `net user bob ${s('net user', password())} /add`,
      `ssh-keygen -t ed25519 -N '${s('ssh-keygen', password())}' -f key`,
      `keytool -genkey -storepass ${s('keytool', password())} -alias x`,
      `ConvertTo-SecureString -String '${s('powershell', password())}' -AsPlainText`,
      `send "${s('expect', password())}\\r"`,
      `gh secret set API --body "${s('gh secret', alnum(32))}"`,
      `kubeadm join 10.0.0.1:6443 --token ${s('kubeadm', `a1b${shapes.from(shapes.DIGITS, 3)}.${hex(16)}`)}`,
      `requirepass ${s('redis.conf', password())}`,
      `snmp-server community ${s('snmp', alnum(12))} RW`,
      `username admin password 7 ${s('cisco', hex(20).toUpperCase())}`,
      `A temporary password is generated for root@localhost: ${s('mysql', password())}`,
      `Password for user elastic: ${s('elastic', alnum(20))}`,
    ].join('\n'),
  );
  add('kubectl get secret', (s) => {
    const value = (length) => Buffer.from(alnum(length)).toString('base64');
    return `apiVersion: v1\ndata:\n  # of the shop\n  ca.pem: ${s('secret data', value(60))}\n  extra: ${s('secret data', value(12))}\n  user: YWRtaW4=\nkind: Secret\nmetadata:\n  name: shop\n`;
  });
  add('addresses with keys', (s) =>
    [
      `https://maps.internal/v1?key=${s('?key=', alnum(32))}&zoom=3`,
      `https://api.internal/v1?appid=${s('?appid=', hex(32))}`,
      `https://shop.internal/;jsessionid=${s('jsessionid', hex(32).toUpperCase())}`,
      `https://graph.internal/me?access_token=${s('facebook', `1234567${shapes.from(shapes.DIGITS, 3)}98765|${safe(27)}`)}`,
    ].join('\n'),
  );
  // Lists and recordings of HTTP
  const header = () => `${hex(32)}-1763482915-1.0.1.1-${safe(60)}`;
  add(
    'a cassette of vcrpy',
    (s) =>
      `interactions:\n- request:\n    body: null\n    headers:\n      accept:\n      - '*/*'\n      x-api-key:\n      - ${s('header list', hex(32))}\n      authorization:\n      - Token ${s('header list', hex(40))}\n      cookie:\n      - __cf_bm=${s('cookie list', header())}; _cfuvid=${s('cookie list', safe(43))}\n    method: GET\n  response:\n    headers:\n      set-cookie:\n      - _session_id=${s('cookie list', hex(32))}; Path=/; HttpOnly\n      X-Shop-Key:\n      - "${s('header list', alnum(32))}"\n`,
  );
  add('a HAR file', (s) =>
    JSON.stringify(
      {
        request: {
          headers: [
            { name: 'x-api-key', value: s('name and value', hex(32)) },
            { name: 'cookie', value: `theme=dark; sid=${s('cookie of a HAR', alnum(32))}` },
          ],
          cookies: [{ name: '_session_id', value: s('cookie of a HAR', hex(32)), path: '/' }],
        },
      },
      null,
      2,
    ),
  );
  add('nock, WireMock, Polly', (s) =>
    [
      `"rawHeaders": [\n  "x-api-key",\n  "${s('raw headers', hex(32))}",\n  "Set-Cookie",\n  "sid=${s('raw headers', alnum(32))}; Path=/"\n]`,
      `"headers": {"X-Api-Key": {"equalTo": "${s('WireMock', hex(32))}"}}`,
      `{"_fromType":"array","name":"x-auth-token","value":"${s('Polly', alnum(40))}"}`,
    ].join('\n'),
  );
  add('dumps of headers', (s) =>
    [
      `Headers { 'x-api-key': [ '${s('node-fetch', hex(32))}' ], cookie: [ 'a=b; sid=${s('node-fetch', alnum(32))}' ] }`,
      `[('x-api-key', '${s('httpx', hex(32))}'), ('accept', '*/*')]`,
      `{'x-api-key': ['${s('requests', alnum(32))}']}`,
      `map[X-Api-Key:[${s('Go', hex(32))}] User-Agent:[Go-http-client/1.1]]`,
      `{X-Api-Key=[${s('Java', hex(32))}], Accept=[*/*]}`,
      `"x-api-key"=>["${s('Ruby', hex(32))}"]`,
    ].join('\n'),
  );
  add('tool results with lists', (s) =>
    [
      JSON.stringify({ out: `x-api-key:\n- ${s('escaped list', hex(32))}\n` }),
      JSON.stringify({ body: JSON.stringify({ 'x-api-key': [s('escaped list', alnum(32))] }) }),
      `     5→      x-api-key:\n     6→      - ${s('numbered lines', hex(32))}`,
    ].join('\n'),
  );
  add(
    'arguments of containers',
    (s) =>
      `args:\n  - --token=${s('arguments', alnum(32))}\n  - --password\n  - ${s('arguments', password())}\ncommand: ["serve", "--api-key", "${s('arguments', hex(32))}"]\n`,
  );
  add(
    'lists in configuration',
    (s) =>
      `api_keys = [\n  "${s('TOML array', hex(32))}",\n  "${s('TOML array', alnum(36))}",\n]\nadmin_password:\n  - ${s('YAML list', password())}\nAPI key:\n\n    ${s('next line', hex(32))}\n\naccess_tokens: [${s('flow list', alnum(40))}, ${s('flow list', alnum(40))}]\n`,
  );
  return texts;
}
