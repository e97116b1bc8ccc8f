import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const TOKEN = random(32);

describe('a secret that is recognised by its position', () => {
  it.each([
    ['curl -u me:', PASSWORD, ' https://h.invalid', 'password'],
    ['mysql -u root -p', PASSWORD, ' shop', 'password'],
    ["sshpass -p '", PASSWORD, "' ssh h", 'password'],
    ['unzip -P ', PASSWORD, ' files.zip', 'password'],
    ['redis-cli -h cache -a ', TOKEN, ' ping', 'password'],
    ['docker login -u me -p ', TOKEN, ' h.invalid', 'password'],
    ['echo ', PASSWORD, ' | docker login --password-stdin', 'password'],
    ['machine h.invalid login me password ', PASSWORD, '', 'password'],
    ['db.invalid:5432:shop:app:', PASSWORD, '', 'password'],
    ['the password is ', PASSWORD, ', be quick', 'password'],
    ['Set-Cookie: sid=', TOKEN, '; Path=/', 'cookie'],
    ['https://h.invalid/a?X-Amz-Signature=', random(64, HEX), '', 'signature'],
    ['https://', random(32, HEX), '@o1.ingest.sentry.invalid/2', 'url-token'],
    ['Your new API key: ', TOKEN, '', 'api-key'],
    ['MAILGUN_KEY=', random(32, HEX), '', 'api-key'],
    ['root:', `$6$${random(16)}$${random(86)}`, ':19700:0:', 'password-hash'],
    ['  password: ', `${random(19)}=`, '', 'password'],
    ['curl -X POST h.invalid \\\n  -u me:', PASSWORD, '', 'password'],
    ['curl -u "', TOKEN, ':" https://h.invalid', 'api-key'],
    ["echo 'root:", PASSWORD, "' | chpasswd", 'password'],
    ['echo ', PASSWORD, ' | sudo -S true', 'password'],
    ['mongodump -u app -p ', PASSWORD, ' --db x', 'password'],
    ['ldapsearch -x -w ', PASSWORD, ' -b dc=x', 'password'],
    ['sqlcmd -S db -U sa -P ', PASSWORD, '', 'password'],
    ['smbclient //h/s -U bob%', PASSWORD, '', 'password'],
    ['net user bob ', PASSWORD, ' /add', 'password'],
    ['ssh-keygen -t ed25519 -N ', PASSWORD, ' -f key', 'password'],
    ['send "', PASSWORD, '\\r"', 'password'],
    ['ConvertTo-SecureString -String "', PASSWORD, '" -AsPlainText', 'password'],
    ['snmp-server community ', random(12), ' RW', 'password'],
    ['requirepass ', PASSWORD, '', 'password'],
    ['username admin password 7 ', random(20, '0123456789ABCDEF'), '', 'password'],
    ['gh secret set API --body "', TOKEN, '"', 'secret'],
    ['kubeadm join h --token ', `a1b2c3.${random(16, HEX)}`, '', 'token'],
    ['new NetworkCredential("bob", "', PASSWORD, '")', 'password'],
    ['getConnection("jdbc:x", "app", "', PASSWORD, '")', 'password'],
    ["IDENTIFIED BY '", PASSWORD, "';", 'password'],
    ["jwt.sign(payload, '", TOKEN, "', {})", 'secret'],
    ["define('AUTH_KEY',         '", `MW1(>M%0 2(#o|2$cB${random(20)}@]:(5;oV<<W3^e_R-fg`, "');", 'secret'],
    ['temporary password is generated for root@localhost: ', PASSWORD, '', 'password'],
    ['Password for user elastic: ', random(20), '', 'password'],
    ['my password is ', ['237d', 'g546fs9'].join(''), '', 'password'],
    ['login: admin / ', PASSWORD, '', 'password'],
    ['hmac.New(sha256.New, []byte("', TOKEN, '"))', 'secret'],
    ['id/pw bob/', PASSWORD, '', 'password'],
    ['https://h.invalid/?key=', TOKEN, '&x=1', 'token'],
    ['https://h.invalid/;jsessionid=', random(32, HEX), '', 'token'],
    ['Bearer: ', random(15), '', 'bearer'],
  ])('%s…%s%s', async (before, secret, after, kind) => {
    expect(await sanitiser.clean(before + secret + after)).toEqual({
      text: `${before}[REDACTED:${kind}]${after}`,
      redacted: { [kind]: 1 },
    });
  });

  it.each([
    'curl -u user:password https://example.com',
    'mysql -u root -p shop',
    'mkdir -p src/app2/test1',
    'ssh -p 2222 host; docker run -p 8080:80 nginx',
    'the password is required, and at least 12 characters long',
    'the token is read from the environment',
    'Set-Cookie: theme=dark; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    `CACHE_KEY=${random(32, HEX)}`,
    `cache_key: ${random(32, HEX)}`,
    `public_key = "${random(43)}="`,
    'src/a.ts:10:5:error:expected1',
    `ghp_${'x'.repeat(36)}`,
    `sha: ${random(40, HEX)}`,
    'curl --user "src@example.com" -T out.txt',
    'ssh-keygen -t ed25519 -N "" -f key',
    'net user bob /delete',
    'ii  passwd  1:4.13+dfsg1-1+deb12u1  amd64  change passwords',
    'send "exit\\r"',
    'createHmac("sha256", secret)',
    'getConnection(url, "root", "")',
    'username/password authentication and id/pw pairs',
    'login: page / dashboard',
    'hmac.new(key, msg, hashlib.sha256)',
    'process.env.npm_config_onnxruntime_node_install_cuda',
  ])('stays: %s', async (text) => {
    expect(await sanitiser.clean(text)).toEqual({ text, redacted: {} });
  });

  it('a token does not begin in the middle of a word, or continue after its end', async () => {
    const token = `sb${'p'}_${random(40, HEX)}`;
    expect((await sanitiser.clean(token)).redacted).toEqual({ 'supabase-key': 1 });
    expect((await sanitiser.clean(`1${token}`)).redacted).toEqual({ 'supabase-key': 1 });
    expect((await sanitiser.clean(`a${token}`)).redacted).toEqual({});
    expect((await sanitiser.clean(`${token}-x`)).redacted).toEqual({});
  });
});

describe('the text next to an access key of AWS', () => {
  const id = `AK${'IA'}${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`;
  const secret = random(40);

  it.each([
    [`connect("${id}", "${secret}")`, 'connect("[REDACTED:aws-access-key-id]", "[REDACTED:aws-secret-key]")'],
    [`${id},${secret}`, '[REDACTED:aws-access-key-id],[REDACTED:aws-secret-key]'],
  ])('%s', async (text, cleaned) => {
    expect((await sanitiser.clean(text)).text).toBe(cleaned);
  });
});
