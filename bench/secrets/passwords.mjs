/**
 * Passwords as generators and people make them, and the contexts in which they are written: `{x}` is the password, `{u}` a
 * user's name. The second list of contexts is held out: written before any measurement, rules must not be tuned on it.
 */

/** @type {Record<string, string[]>} */
export const PLACES = {
  assignments: [
    'password = "{x}"',
    '"password": "{x}",',
    'DB_PASSWORD={x}',
    'password: {x}',
    "db_pass = '{x}'",
  ],
  'code, names': [
    'const dbPassword = "{x}";',
    'adminPwd: "{x}"',
    "$pass = '{x}';",
    'smtp_pwd: {x}',
    'userPass := "{x}"',
  ],
  DSNs: [
    'app:{x}@tcp(db:3306)/shop',
    'redis://:{x}@cache:6379/0',
    'https://{u}:{x}@git.internal/a.git',
    'postgres://app:{x}@db.internal/shop',
    'mongodb+srv://app:{x}@cluster0.mongodb.net/x',
  ],
  'my pass is': [
    'my password is {x}',
    'my pass is {x}',
    'the admin password is {x} by the way',
    'password is now {x}',
  ],
  'pw …': ['pw {x}', 'pw: {x}', 'user {u} pw {x}', 'the pw is {x}', 'PW={x}'],
  creds: [
    'creds: {u}:{x}',
    'credentials: {u}:{x}',
    'login: {u} / {x}',
    'creds are {u}/{x}',
    'user:pass is {u}:{x}',
  ],
  German: ['das Passwort ist {x}', 'Passwort: {x}', 'mein Kennwort: {x}', 'Das Passwort lautet {x}'],
  French: ['le mot de passe est {x}', 'mot de passe : {x}', 'Mot de passe: {x}', 'mon mot de passe est {x}'],
  Spanish: ['la contraseña es {x}', 'contraseña: {x}', 'mi contraseña es {x}', 'Clave: {x}'],
  Portuguese: ['a senha é {x}', 'senha: {x}', 'Senha: {x}', 'minha senha é {x}'],
  Russian: ['пароль: {x}', 'мой пароль {x}', 'пароль — {x}', 'Пароль от сервера: {x}'],
  Chinese: ['密码是 {x}', '密码：{x}', '密码: {x}', '我的密码是{x}'],
  SQL: [
    "INSERT INTO users (name, password) VALUES ('{u}', '{x}');",
    "INSERT INTO accounts (id, login, passwd, active) VALUES (1, '{u}', '{x}', true);",
    "CREATE USER {u} IDENTIFIED BY '{x}';",
    "UPDATE users SET password = '{x}' WHERE name = '{u}';",
  ],
  calls: [
    'login("{u}", "{x}")',
    "client.login('{u}', '{x}');",
    'db.connect("{u}", "{x}")',
    'auth=("{u}", "{x}")',
  ],
  'CSV column': [
    'user,password\n{u},{x}\n',
    'name;password;role\n{u};{x};admin\n',
    'id\tuser\tpassword\n1\t{u}\t{x}\n',
  ],
  'Markdown column': [
    '| user | password |\n| --- | --- |\n| {u} | {x} |\n',
    '| Server | Login | Passwort |\n|---|---|---|\n| db1 | {u} | `{x}` |\n',
    '| name | value |\n| --- | --- |\n| password | {x} |\n',
  ],
  curl: [
    'curl -u {u}:{x} https://h.internal/a',
    "curl --user '{u}:{x}' https://h.internal",
    'curl -s -u "{u}:{x}" -X POST https://h.internal',
  ],
};

/** @type {Record<string, string[]>} */
export const HELD_OUT_PLACES = {
  prose: [
    'log in as {u} with password {x} please',
    'user {u}, pw {x}',
    'try {u} / {x}',
    'the login for the box is {u} and the password {x}',
    'new pass for {u}: {x}',
    'passwd for root = {x}',
  ],
  'other words': [
    'Das Kennwort lautet {x}',
    'mdp : {x}',
    'mi clave es {x}',
    'palavra-passe: {x}',
    'пароль от почты: {x}',
    '密码为{x}',
    'Zugangsdaten: {u} / {x}',
    'identifiants : {u} / {x}',
  ],
  settings: [
    '[mail]\npass={x}',
    'smtp:\n  user: {u}\n  pass: {x}',
    'host=db user={u} password={x} dbname=shop',
    'Server=db;User Id={u};Password={x};',
    'spring.datasource.password={x}',
    'ansible_password: "{x}"',
  ],
  'commands and addresses': [
    'ftp://{u}:{x}@files.internal/in',
    'mysql+pymysql://{u}:{x}@db/shop',
    'wget --user={u} --password={x} https://h.internal/f',
    'lftp -u {u},{x} h.internal',
    'mosquitto_pub -u {u} -P {x} -t a -m b',
    'amqp://{u}:{x}@mq:5672/vhost',
  ],
  'code and tables': [
    'authenticate("{u}", "{x}")',
    'session.auth = ("{u}", "{x}")',
    'new Client({ username: "{u}", password: "{x}" })',
    '<tr><th>User</th><th>Password</th></tr>\n<tr><td>{u}</td><td>{x}</td></tr>',
    'user: {u}\npassword: {x}\nhost: db',
    'Username: {u}\nPass: {x}',
  ],
};

const WORDS =
  `amber anchor apple arrow basil beacon birch bottle breeze bridge candle canyon cedar cherry cobalt copper coral
cradle crystal dagger daisy denim ember falcon feather fern fiddle flint forest garden ginger glacier granite hammer harbor
hazel heron indigo island ivory jasmine jungle kettle lagoon lantern lemon linen lumber magnet maple marble meadow mirror
mosaic nectar needle nickel olive onion orchid otter oyster paper pebble pepper pigeon pillow pine planet plume pocket prairie
puzzle quartz quiver rabbit raven ribbon river rocket saddle salmon sandal shadow silver spruce summit temple thistle thunder
timber topaz turnip umber valley velvet violet walnut willow winter yarrow zephyr`.split(/\s+/);
const SYMBOLS = '!#%&*+-=?@^_~';

/**
 * Kinds of passwords, by name. None is in the well-known lists of passwords: those are often placeholders.
 *
 * @param {ReturnType<import('./shapes.mjs').makeShapes>} shapes
 * @param {{ pick: (list: any) => any, between: (low: number, high: number) => number }} random
 * @returns {Record<string, () => string>}
 */
export function passwordsOf({ from, alnum, LOWER, UPPER, DIGITS }, random) {
  const capital = (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const shuffled = (text) => {
    const all = [...text];
    for (let at = all.length - 1; at > 0; at -= 1) {
      const other = random.between(0, at);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all.join('');
  };
  const word = () => random.pick(WORDS);
  const syllables = (count) =>
    Array.from(
      { length: count },
      () =>
        random.pick(['b', 'ch', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'ph', 'qu', 'r', 's', 'th', 'v', 'z']) +
        random.pick(['a', 'ai', 'e', 'ee', 'i', 'o', 'oo', 'u', 'ie']),
    ).join('');
  return {
    pwgen: () => capital(shuffled(`${syllables(3)}`)).slice(0, 9) + from(DIGITS, 1) + syllables(1),
    'pwgen -s 12': () => shuffled(`${from(DIGITS, 1)}${from(UPPER, 1)}${from(LOWER, 1)}${alnum(9)}`),
    'pwgen -s 16': () => shuffled(`${from(DIGITS, 2)}${from(UPPER, 2)}${from(LOWER, 2)}${alnum(10)}`),
    'with symbols 12': () =>
      `${alnum(1)}${shuffled(`${from(DIGITS, 2)}${from(SYMBOLS, 2)}${from(LOWER + UPPER, 6)}`)}${alnum(1)}`,
    'with symbols 20': () =>
      `${alnum(1)}${shuffled(`${from(DIGITS, 3)}${from(SYMBOLS, 4)}${from(LOWER + UPPER, 11)}`)}${alnum(1)}`,
    passphrase: () => [word(), word(), word(), word()].join('-'),
    'passphrase with a number': () => `${capital(word())}-${word()}-${word()}${random.between(2, 99)}`,
    'words and a symbol': () =>
      `${capital(word())}${capital(word())}${random.between(10, 999)}${random.pick(['!', '#', '?', '$'])}`,
    'letters, both cases': () => shuffled(`${from(UPPER, 5)}${from(LOWER, 9)}`),
    'letters, small': () => from(LOWER, random.between(12, 16)),
    'with "test"': () =>
      `${random.pick(['Test', 'test', 'TEST'])}${random.pick(['!', '_', '#'])}${alnum(7)}${from(DIGITS, 1)}`,
    'with "example"': () =>
      `${random.pick(['example', 'Example', 'demo', 'Default'])}-${from(DIGITS, 2)}${alnum(6)}`,
    'with "password"': () =>
      `${random.pick(['Passw0rd', 'Password', 'MyPass', 'Secret'])}${random.pick(['!', '#', '@', '$'])}${from(DIGITS, 2)}${from(LOWER + UPPER, 4)}`,
    'with "admin"': () =>
      `${random.pick(['Admin', 'admin', 'Root', 'User'])}${from(DIGITS, 4)}${random.pick(['!', '#', '*'])}${from(LOWER, 3)}`,
  };
}
