import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newToken } from '../../src/broker/tokens.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { TOKEN_TABLE } from '../../src/sanitiser/token-table.js';
import { ALPHANUMERIC, HEX, JWT, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const clean = async (text: string) => (await sanitiser.clean(text)).text;
const LOWER = ALPHANUMERIC.slice(0, 26);
const UUID = [8, 4, 4, 4, 12].map((length) => random(length, HEX, length)).join('-');

describe('keys of services by their format', () => {
  it.each([
    [`bedrock-api${'-key'}-${random(200)}`, 'aws-bedrock-key'],
    [`IQoJb3JpZ2lu${'X2Vj'}${random(300)}==`, 'aws-session-token'],
    [`mdb_sa${'_sk'}_${random(40)}`, 'mongodb-secret'],
    [`bb${'_live'}_${random(27)}`, 'browserbase-key'],
    [`sl${'k'}_${random(64, HEX)}`, 'sourcegraph-license'],
    [`wandb${'_v1'}_${random(27)}_${random(49)}`, 'wandb-key'],
    [`sd${'k'}-${UUID}`, 'launchdarkly-key'],
    [`p${'k'}_12345678_${random(32, `${LOWER.toUpperCase()}0123456789`)}`, 'clickup-token'],
    [`2/${random(16, '123456789')}/${random(16, '123456789')}:${random(32, HEX)}`, 'asana-token'],
    [`shop${'_live'}_${random(32)}`, 'api-key'],
    [`shop${'_secret'}_${random(32, HEX)}`, 'api-key'],
  ])('%s', async (secret, kind) => {
    expect(await clean(`see ${secret} here`)).toBe(`see [REDACTED:${kind}] here`);
  });

  it('tokens of `mempalace serve`, and no name that begins like one', async () => {
    const tokens = [
      ...Array.from({ length: 500 }, newToken),
      `mempalace_${'dKCEl-DiwObdUVV_QSvEPwnJULkBmzusSsURwBntTcE'}`,
      `mempalace_${'6xmYzT2A09Q_pdJTbDa0XX__vXV76pxm8N7At5Ury1w'}`,
      `mempalace_${'grAG36fgSYsYD2HJaYOUR_GRUjIg5soJGMBRJLVZ2MU'}`,
    ];
    const sent = await clean(tokens.map((token) => `Authorization: Bearer ${token}`).join('\n'));
    expect(tokens.filter((token) => sent.includes(token))).toEqual([]);
    const made = await clean(tokens.map((token) => `I made ${token} for ada`).join('\n'));
    expect(new Set(made.split('\n'))).toEqual(new Set(['I made [REDACTED:mempalace-token] for ada']));
    const name = `mempalace_${'a_tool_with_a_name_of_many_words_'.repeat(2).slice(0, 43)}`;
    expect(await clean(`call ${name} first`)).toBe(`call ${name} first`);
  });

  it('each row of the table begins with its literal prefix', () => {
    expect(TOKEN_TABLE.flatMap(({ starts }) => starts).filter((start) => start.length < 2)).toEqual([]);
  });

  it('Telegram, in a URL', async () => {
    const token = `${random(10, '123456789')}:${'AA'}${random(33)}`;
    expect(await clean(`https://api.telegram.org/bot${token}/getMe`)).toBe(
      'https://api.telegram.org/bot[REDACTED:telegram-token]/getMe',
    );
  });

  it.each([
    ['go.sum', `golang.org/x/sys v0.15.0 h1:LT${'AI'}${random(40)}=`],
    ['go.sum, in the middle', `a v1 h1:${random(20)}+LT${'AI'}${random(18)}k4=`],
    ['a publishable key', `shop_pk${'_live'}_x, pk${'_live'}_${random(24)}`],
    ['a name', 'my_test_function_that_has_a_long_name_2024, a_secret_of_3_words'],
  ])('stays: %s', async (_, text) => {
    expect(await clean(text)).toBe(text);
  });
});

describe('JWTs', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  it.each([
    ['kid first', '{"kid":"a1","alg":"ES256"}', '{"sub":"4711"}'],
    ['with spaces', '{ "typ": "JWT", "alg": "HS256" }', '{ "sub": "4711" }'],
    ['over lines', '{\r\n "typ": "JWT"}', '{\n  "sub": "4711"}'],
  ])('%s', async (_, header, claims) => {
    const token = [encode(header), encode(claims), random(43)].join('.');
    expect(await clean(`Got ${token}, then`)).toBe('Got [REDACTED:jwt], then');
  });

  it.each([64, 72, 76])('wrapped at %i columns', async (width) => {
    const long = `${JWT.slice(0, -43)}${random(86)}`;
    const lines = long.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
    expect(await clean(`Token:\n${lines.join('\n')}\nThat was it.`)).toBe(
      'Token:\n[REDACTED:jwt]\nThat was it.',
    );
  });

  it('a complete one on a line of that width does not include the next line', async () => {
    const text = `${'x'.repeat(76 - JWT.length > 1 ? 75 - JWT.length : 1)} ${JWT}\nThen`;
    expect(await clean(text)).toMatch(/\[REDACTED:jwt\]\nThen$/);
  });
});

describe('the body of a private key without its BEGIN line', () => {
  const body = (pem: string) => pem.trim().split('\n').slice(1, -1).join('\n');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  it.each([
    ['PKCS #1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })],
    ['PKCS #8', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['SEC 1', ec.privateKey.export({ type: 'sec1', format: 'pem' })],
    ['PKCS #8, EC', ec.privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['Ed25519', ed.privateKey.export({ type: 'pkcs8', format: 'pem' })],
  ])('%s', async (_, pem) => {
    const text = body(String(pem));
    expect(await clean(`key material:\n${text}\nend of it`)).toBe(
      'key material:\n[REDACTED:private-key]\nend of it',
    );
    const inOneLine = JSON.stringify({ material: text });
    expect(await clean(inOneLine)).toBe('{"material":"[REDACTED:private-key]"}');
  });

  it('public keys stay', async () => {
    for (const key of [rsa, ec, ed]) {
      const text = body(String(key.publicKey.export({ type: 'spki', format: 'pem' })));
      expect(await clean(`material:\n${text}\n`)).toBe(`material:\n${text}\n`);
    }
    const text = body(String(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })));
    expect(await clean(text)).toBe(text);
  });
});

describe('cookies of curl', () => {
  it.each(['-b', '--cookie'])('curl %s', async (flag) => {
    expect(await clean(`curl ${flag} 'theme=dark; session=${random(32)}' https://h.invalid`)).toBe(
      `curl ${flag} 'theme=dark; session=[REDACTED:cookie]' https://h.invalid`,
    );
  });

  it.each([
    'curl -b cookies.txt -c cookies.txt https://h.invalid',
    'curl --cookie "theme=dark; lang=en-US" h.invalid',
  ])('stays: %s', async (text) => {
    expect(await clean(text)).toBe(text);
  });
});
