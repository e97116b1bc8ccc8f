import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const KEY = random(32);
const P = '[REDACTED:password]';

describe('table columns with a secret header', () => {
  it.each([
    ['CSV', (x: string) => `user,password\nann,${x}\nbob,\n`, PASSWORD, P],
    ['CSV in quotes', (x: string) => `"user","password"\n"ann","${x}"\n`, PASSWORD, P],
    ['semicolons', (x: string) => `name;Passwort;role\nann;${x};admin\n`, PASSWORD, P],
    ['tabs', (x: string) => `id\tuser\tpassword\n1\tann\t${x}\n`, PASSWORD, P],
    ['Markdown', (x: string) => `| user | password |\n| --- | --- |\n| ann | \`${x}\` |\n`, PASSWORD, P],
    ['at the end of the text', (x: string) => `user,password\nann,${x}`, PASSWORD, P],
    ['a key', (x: string) => `service,key\nshop,${x}\n`, KEY, '[REDACTED:api-key]'],
    ['an API key', (x: string) => `service;api_key\nshop;${x}\n`, random(32, HEX), '[REDACTED:api-key]'],
    ['SQL', (x: string) => `INSERT INTO users (name, password) VALUES ('ann', '${x}');`, PASSWORD, P],
    [
      'more SQL',
      (x: string) => `insert into u (id, pwd, ok) values (1, '${x}', true), (2, '', 1);`,
      PASSWORD,
      P,
    ],
  ])('%s', async (_, write, secret, marker) => {
    expect((await sanitiser.clean(write(secret))).text).toBe(write(marker));
  });

  it('redacts each row', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => random(14, undefined, at + 3));
    const text = `user,password\n${rows.map((row, at) => `u${at},${row}`).join('\n')}\n`;
    const { redacted, text: cleaned } = await sanitiser.clean(text);
    expect(rows.filter((row) => cleaned.includes(row))).toEqual([]);
    expect(redacted.password).toBe(50);
  });

  it.each([
    'name,password,required\nuser,string,true\n',
    '| user | password |\n| --- | --- |\n| root | (none) |\n| admin | changeme |\n',
    "import {\n  password,\n  utf8DecodeBytes,\n  sha512sum,\n} from 'x';",
    "  'password',\n  'GENERATE-MD5',\n  'encode_base64',\n",
    'structure, keys that are ordinary passwords, or sequences of keys like\n"secret:1", "secret:2", and so on\n',
    'INSERT INTO users (name, password) VALUES (?, ?);',
    "INSERT INTO users (name, password) VALUES ('ann', 'secret');",
    `INSERT INTO posts (id, title) VALUES ('${KEY}', 'Hello');`,
  ])('stays: %j', async (text) => {
    expect((await sanitiser.clean(text)).text).toBe(text);
  });
});
