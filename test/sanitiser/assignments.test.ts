import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const TOKEN = random(32);
const UUID = [8, 4, 4, 4, 12].map((length) => random(length, HEX, length)).join('-');

describe('assignments', () => {
  it.each([
    ['DB_PASSWORD=', PASSWORD, '', 'password'],
    ['export PGPASSWORD=', PASSWORD, ' psql -h db', 'password'],
    ['MYSQL_PWD="', PASSWORD, '"', 'password'],
    ['password: ', PASSWORD, '', 'password'],
    ['  - smtp_password: "', PASSWORD, '"  # mail', 'password'],
    ["dbPassword: '", PASSWORD, "',", 'password'],
    ['{"user":"a","password":"', PASSWORD, '","n":1}', 'password'],
    ['{\\"password\\":\\"', PASSWORD, '\\",\\"n\\":1}', 'password'],
    ['{\\\\\\"token\\\\\\":\\\\\\"', TOKEN, '\\\\\\"}', 'token'],
    ["'secret' => '", TOKEN, "',", 'secret'],
    ['clientSecret := "', TOKEN, '"', 'secret'],
    ['const apiKey: string = "', TOKEN, '";', 'api-key'],
    ['config["api_key"] = "', TOKEN, '"', 'api-key'],
    ['ACCESS_TOKEN=', TOKEN, '', 'token'],
    ['AUTH_TOKEN=', UUID, '', 'token'],
    ['SECRET_KEY_BASE=', random(64, HEX), '', 'api-key'],
    ['curl "https://h.invalid/?access_token=', TOKEN, '&page=2"', 'token'],
    ['x-api-key: ', TOKEN, '', 'api-key'],
    ['//registry.invalid/:_authToken=', UUID, '', 'token'],
    ['tool --password ', PASSWORD, ' --verbose', 'password'],
    ['tool --api-key=', TOKEN, ' run', 'api-key'],
    ['<password>', PASSWORD, '</password>', 'password'],
    ['Server=db;Uid=app;Pwd=', PASSWORD, ';Pooling=true', 'password'],
    ['JWT_SECRET=', ['corr', 'ectho', 'rsebat', 'tery'].join(''), '', 'secret'],
  ])('%s…%s%s', async (before, secret, after, kind) => {
    expect(await sanitiser.clean(before + secret + after)).toEqual({
      text: `${before}[REDACTED:${kind}]${after}`,
      redacted: { [kind]: 1 },
    });
  });

  // § stands for $, which a linter takes for a forgotten template.
  const STAYS = [
    'PASSWORD=changeme',
    'PASSWORD=',
    'password: *db_pw1',
    'DB_PASSWORD="§{DB_PASSWORD}"',
    'TOKEN=$TOKEN',
    'TOKEN=$(cat /run/secrets/token)',
    'token: <your-token>',
    'token: §{{ secrets.GITHUB_TOKEN }}',
    'password: {{ vault_password }}',
    'API_KEY=xxxxxxxxxxxxxxxx',
    'API_KEY=YOUR_API_KEY_12345',
    'password: ********',
    'password: "..."',
    'const password = process.env.DB_PASSWORD1;',
    "password = os.environ['PASSWORD1']",
    '"password": "string"',
    '"password": "Passwort"',
    'token: string',
    'token: Token2<string>',
    'password: required',
    'password: must be at least 8 characters',
    'The password: it has to have 1 digit and 1 symbol!',
    'const token = await lexer.next(2);',
    'const token = tokens[i1];',
    'token = getToken(user1, "abc1")',
    'password: hash256,',
    'password: sha256',
    'password: "bcrypt-12"',
    'token: "color-primary-500"',
    'token_count: 128000',
    'max_tokens: 4096',
    'TOKEN_URL=https://login.invalid/oauth2/v2.0/token',
    'SECRET_FILE=/run/secrets/db1-secret',
    'secret: /run/secrets/db1-x9',
    'passwordField: "a1b2c3d4e5f6"',
    'secretName: my-app-tls-2024',
    'nextPageToken: "CAUQAA1x2Y3z4W5v"',
    'password=123',
    'pass: 17 fail: 2',
    'PWD=/home/me/work1',
    'tokenizer: "o200k_base_v2"',
    'Bearer authentication and Basic authentication are supported',
    'Authorization: Bearer <token>',
    'Authorization: Bearer $TOKEN',
    'http://user:password@example.com',
    'https://§{USER}:§{PASSWORD}@host.invalid',
    'see https://host.invalid:8080/@scope/package',
    'git+ssh://git@host.invalid:me/repo.git',
  ];

  it.each(STAYS.map((text) => text.replaceAll('§', '$')))('stays: %s', async (text) => {
    expect(await sanitiser.clean(text)).toEqual({ text, redacted: {} });
  });
});
