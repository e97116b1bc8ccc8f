import { expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { TOKEN_STARTS } from '../../src/sanitiser/tokens.js';
import { PEM, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });

/**
 * Texts on which a pattern that looks back, or looks at the same characters twice, does quadratic work: at these
 * lengths that is hours, so that the ordinary timeout tells it from slow.
 */
it.each([
  ['password=', 5e6],
  ['token="', 1e6],
  ["token='", 1e6],
  ['token\\\\\\\\\\', 1e6],
  ['api_key:string=', 1e6],
  ['--token ', 1e6],
  [`token${' '.repeat(60)}`, 1e6],
  ['eyJ', 2e6],
  ['eyJaaaaaaaaaaaa.', 1e6],
  ['sk-', 1e6],
  ['://a:', 1e6],
  ['://a:b@', 1e6],
  ['Bearer ', 1e6],
  ['authorization: bearer ', 1e6],
  ['<private>', 1e6],
  ['<private ', 1e6],
  ['<private></private>', 1e6],
  ['</private>', 1e6],
  [PEM[0] ?? '', 1e6],
  [`${PEM[0]}\n${random(64)}\n`, 1e6],
  ['xoxb-', 1e7],
  ['ghs_1_eyJ', 1e7],
  ['glpat-', 1e6],
  ['fm2_', 1e6],
  [' SG.a.'.padEnd(300, 'b'), 5e5],
  ['secret_access_key   ', 1e6],
  ['[REDACTED:jwt]', 1e6],
  ['password=[PRIVATE]aB3$dE6', 5e5],
  [`password=${random(9)} `, 5e5],
  [`gh${'p'}_${random(36)} `, 1e6],
  [' ', 5e6],
  ['a', 5e6],
  ['\n', 1e6],
])('%j over and over', async (piece, length) => {
  const text = piece.repeat(Math.ceil(length / piece.length));
  const { text: cleaned } = await sanitiser.clean(text);
  expect(cleaned.length).toBeGreaterThan(0);
});

/**
 * A near miss of every rule, on one line without an end. Ten times the text may take ten times as long, and some more
 * where a small one fits into a cache; a pattern that looks at a character again for each one before takes a hundred
 * times as long. Processor time, so that other programs do not count.
 */
const LONG = process.env.MEMPALACE_LONG_TESTS === '1';
const SMALL = LONG ? 1_000_000 : 15_000;
const NEAR_MISSES: string[] = [
  TOKEN_STARTS.join(''),
  TOKEN_STARTS.map((start) => `${start}${random(15)} `).join(''),
  TOKEN_STARTS.map((start) => `${start}${random(31)}.`).join(''),
  ...TOKEN_STARTS.filter((_, index) => LONG || index % 30 === 0),
  'curl -u a:',
  'curl --user=',
  'curl -- ',
  'http -a ',
  'mysql -p',
  'mysql -u root ',
  'sshpass -p ',
  'redis-cli -h a ',
  'redis-cli -a ',
  'docker login -u a ',
  'zip -P ',
  'zip -r a ',
  'htpasswd -b a b ',
  'echo a|',
  'echo a | b --password-stdi',
  '--password-stdin',
  'auth=("a","',
  "define('AUTH_KEY','",
  'variable "password" {',
  'variable "password" { default = "',
  'cookie: a=',
  'cookie: ',
  `set-cookie: a=${'b'.repeat(12)};`,
  '\tTRUE\t1\ta\t',
  'a.b:1:c:d:',
  '12:12:12:12:',
  'password ',
  'password is ',
  'token ',
  `token ${random(19)} `,
  '_key ',
  '-pass pass:',
  '?code=',
  '&sig=',
  '&Signature=%',
  '://',
  `://${random(19)}`,
  '/api/webhooks/1234567890/',
  '-00000000',
  '0'.repeat(32),
  `${'0'.repeat(32)}-00000000-`,
  'M',
  `M${random(24)}.`,
  `M${random(24)}.${random(6)}.`,
  '.atlasv1.',
  `${random(14)}.atlasv1.`,
  ':APA91b',
  '$2a$',
  '$argon2id$',
  'pbkdf2_sha256$',
  'Private-Lines: 1\nA',
  'Private-Lines: 1\n',
  'AccountKey=',
  'basic ',
  'auth: ',
  'authorization: a ',
  ':AA',
  'Q~',
  '1//0',
  'eyJ.',
  'eyJaaaaaaaaaaaa.eyJ',
  'eyJaaaaaaaaaaaaaaaaa..',
  'ghs_1_eyJ',
  ':x-oauth-basic@',
  'https://a:x-oauth-basic',
  '<system-reminder>',
  '</system-reminder>',
  '<system-reminder></system>',
  '`<system>`',
  '```\n<system>',
  '<system a',
  `<${'a-'.repeat(20)}hook>`,
  `</${'a-'.repeat(20)}hook>`,
  '`'.repeat(2),
  'key: a = ',
  'secret->',
  '_KEY=',
  'x_key',
  'API KEY ',
  'password value=',
  'password:\n  "',
  'password: |\n  ',
  `token: >\n ${random(19)} `,
  'password>',
  'password</key><value>',
  `name="password"${' '.repeat(50)}`,
  'password", "value": ',
  'password("',
  'setPassword("a',
  'password", "',
  'password || "',
  'token,aaaaaaaaaaaaaaaaaaaaaaaa ',
  'token [None',
  'pass: ',
  'PASS: a ',
  'pw:',
  '_PAT=',
  'data:\n',
  'data:\n  a: aaaaaaaaaaaa\n',
  'data": {\n',
  '  data:\n',
  'data:\n  # a\n',
  'curl -u a \\\n',
  'curl -u aaaaaaaaaaaa',
  'echo a:b | chpassw',
  'mongo -u a ',
  'ldapsearch -w ',
  'sqlcmd -P ',
  'smbclient -U a%',
  'net user a ',
  'ssh-keygen -N ',
  'send "',
  '-SecureString -Force ',
  'requirepass ',
  'secret set a --body',
  '--token aaaaaa.',
  'NetworkCredential("a", "',
  'getConnection("a", ',
  'identified by "',
  'identified with a ',
  'jwt.sign(a, ',
  'createHmac("a", "',
  'hmac.New(a.b, []byte("',
  'login: a / ',
  `AK${'IA'}${'A'.repeat(16)}","`,
  'password for a: ',
  'password is generated for ',
  'pwd a = ',
  'id/pw: a/',
  '?key=',
  '&sid=',
  'access_token=1234567890123|',
  'hooks.slack.com/workflows/',
  `webhook/${'a'.repeat(36)}@${'a'.repeat(36)}/IncomingWebhook/`,
  `${'0'.repeat(32)}-us1`,
  `${'a'.repeat(6)}_${'a'.repeat(29)}_mmk`,
  `${'A'.repeat(52)}JQQJ99`,
  `${'A'.repeat(76)}AZDO`,
  `${'A'.repeat(42)}+ACR`,
  'snmp-server community ',
  'ZXlKaGJHY2lPaU',
  '://a@',
  '://a:b@c:d@',
];

it.each(NEAR_MISSES.map((piece) => [piece.slice(0, 40), piece]))(
  '%j ten times as often',
  async (_, piece) => {
    const text = (length: number) => piece.repeat(Math.ceil(length / piece.length));
    const took = async (length: number): Promise<number> => {
      const subject = text(length);
      const started = process.cpuUsage();
      await sanitiser.clean(subject, 'turn');
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    };
    const small = Math.max(await took(SMALL), await took(SMALL), 2);
    expect(await took(10 * SMALL)).toBeLessThan(small * 40);
  },
);

it('30,000 small texts, each looked at by itself', async () => {
  for (let index = 0; index < 30_000; index++) {
    const text = `line ${index}: const token = await lexer.next(); // a:b`;
    expect((await sanitiser.clean(text)).text === text).toBe(true);
  }
});
