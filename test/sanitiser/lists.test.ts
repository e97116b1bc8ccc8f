import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });

/** Templates: each `{K}` is another key in hexadecimal, `{L}` another token of letters and digits, `{P}` a password. */
const SECRETS: Record<string, string[]> = {
  'recordings of HTTP (vcrpy, go-vcr, Polly, HAR, nock, WireMock)': [
    '    headers:\n      x-api-key:\n      - {K}\n      api-key:\n      - {K}\n',
    '      cookie:\n      - __cf_bm={L}; _cfuvid={L}\n      set-cookie:\n      - _session_id={K}; Path=/\n',
    '      authorization:\n      - Token {K}\n',
    '      X-Api-Key:\n        - "{K}"\n        - "{K}"\n',
    'x-api-key:\n- !!binary |\n  {L}\n',
    'x-shop-key:\n- {L}\nuser-agent:\n- python\nx-api-key:\n- {K}\n',
    '"headers" : {\n    "X-Shop-Key" : [ "{K}" ]\n  }',
    '"x-api-key": ["{K}"], "set-cookie": ["_session_id={K}; Path=/"]',
    '{"_fromType":"array","name":"x-api-key","value":"{K}"}',
    '{"name": "set-cookie", "value": "_session_id={K}; Path=/"}',
    '{"name":"authorization","value":"ApiKey {K}"}',
    '"cookies": [\n  { "name": "sid", "value": "{K}", "expires": "2026-01-01T00:00:00.000Z" }\n]',
    '"rawHeaders": [\n  "x-api-key",\n  "{K}",\n  "set-cookie",\n  "sid={K}; Path=/"\n]',
    '"headers": {"X-Api-Key": {"equalTo": "{K}"}}',
    '{"key": "X-Api-Key", "values": ["{K}"]}',
    '{"name": "X-API-Key", "description": "", "disabled": false, "value": "{K}"}',
    '{"key":"x-api-key","type":"text","value":"{K}"}',
    '{\n  "value": "{K}",\n  "name": "x-api-key"\n}',
    '[{"value": "{P}", "name": "DB_PASSWORD"}, {"name": "A", "value": "b"}]',
  ],
  'headers as programs print them': [
    "Headers { 'x-api-key': [ '{K}' ], cookie: [ 'a=b; sid={K}' ] }",
    "[('x-api-key', '{K}'), ('authorization', 'Token {K}')]",
    "[(b'x-api-key', b'{K}')]",
    'map[X-Api-Key:[{K}] User-Agent:[Go-http-client/1.1] Cookie:[sid={K}; a=b]]',
    'http.Header{"X-Api-Key":[]string{"{K}"}, "Cookie":[]string{"sid={K}"}}',
    '{X-Api-Key=[{K}], Accept=[*/*]}',
    '> x-api-key: {K}\n> cookie: sid={K}',
    '"x-api-key"=>["{K}"], "set-cookie"=>["_sess={L}; path=/"]',
    '[x-api-key] => Array\n(\n    [0] => {K}\n)',
    '["x-api-key"]=>\n  array(1) {\n    [0]=>\n    string(32) "{K}"\n',
    "[(b'host', b'x'), (b'cookie', b'sid={K}')]",
    'array(1) {\n  ["x-api-key"]=>\n  string(32) "{K}"\n}',
    '[{<<"x-api-key">>,<<"{K}">>}]',
    "<RequestsCookieJar[Cookie(version=0, name='sid', value='{K}', port=None)]>",
  ],
  'results of tools': [
    '{"body": "{\\"x-api-key\\": [\\"{K}\\"], \\"set-cookie\\": [\\"sid={K}\\"]}"}',
    '{"out": "headers:\\n  x-api-key:\\n  - {K}\\n  cookie:\\n  - sid={K}; a=b\\n"}',
    '     5→      x-api-key:\n     6→      - {K}\n     7→      cookie:\n     8→      - sid={K}\n',
    '00005|       x-api-key:\n00006|       - {K}\n',
    '12-  x-api-key:\n13:  - {K}\n',
    'tests/a.yaml:12:x-api-key:\ntests/a.yaml:13:- {K}\n',
    'a.yaml-12-x-api-key:\na.yaml-13-- {K}\n',
    '-password:\n-  - {P}\n+password:\n+  - {P}\n',
  ],
  'arguments and environments': [
    'args:\n  - --token={K}\n  - --password\n  - {P}\n',
    'command: ["serve", "--password", "{P}", "--api-key", "{K}"]',
    'command: [serve, --password, {P}]',
    '- name: API_KEY\n  value: {K}',
    '- name: API_KEY\n  sensitive: true\n  value: {K}',
  ],
  'lists in code and configuration': [
    "'X-Api-Key': ['{K}'],",
    'api_keys = [\n  "{K}",  # first\n  "{L}",\n]',
    'api_keys:\n  - {K}\n  - {L}\n',
    "const apiKeys: string[] = ['{K}', '{L}'];",
    'List<String> apiKeys = List.of("{K}");',
    'tokens := []string{"{K}"}',
    'api_key = (\n    "{K}"\n)',
    'db_password: [{P}]',
    "requests.get(url, cookies={'sessionid': '{K}'})",
    '<key>token</key><array><string>{K}</string></array>',
    '<token>\n  <string>{K}</string>\n</token>',
    '<password>\n  <![CDATA[{P}]]>\n</password>',
    'x-api-key: # mine\n- {K}\n',
    'api_keys:\n  # the first\n  - {K}\n  # the second\n  - {L}\n',
    'api_key: &k\n  - {K}\n',
    'x-api-key: !!python/tuple\n- {K}\n',
    'api_key: !secret\n  {K}\n',
    'API_KEYS={K},{L}\n',
    'TOKENS="{L} {K}"\n',
  ],
  'values on the next line': [
    'api_key:\n  {K}\n',
    'password:\n  - {P}\n',
    'password:\n  {P}\n',
    'API key:\n\n    {K}\n',
    'The API key::\n\n    {K}\n',
    'password::\n  {P}\n',
    '**API key:**\n\n```\n{K}\n```\n',
    '> Your API key is:\n>\n> `{K}`\n',
    '1. Password:\n\n   `{P}`\n',
    '## API key\n\n{K}\n',
    '### Password\n\n`{P}`\n',
    '**API key**\n\n{K}\n',
    'API key\n: {K}\n',
    '- API key\n  - {K}\n',
    '## API keys\n\n- {K}\n- {L}\n',
    '## API key\n\n```\n{K}\n```\n',
    '     5→## API key\n     6→\n     7→{K}\n',
    '{"out": "## API key\\n\\n{K}\\n"}',
    'headers:\n- - x-api-key\n  - {K}\n',
    '- value: {K}\n  name: API_KEY\n',
  ],
  'cells and terms of HTML': [
    '<dt>API key</dt><dd>{K}</dd>',
    '<tr><td>API key</td>\n<td class="k"><code>{K}</code></td></tr>',
    '<th>Password</th><td>{P}</td>',
  ],
  'collections of Postman': [
    '"apikey": [\n  { "key": "value", "value": "{K}", "type": "string" },\n  { "key": "key", "value": "x-api-key" }\n]',
    '"apikey": [{"key":"in","value":"header"},{"key":"value","value":"{K}"}]',
    '"bearer": [{"key":"token","value":"{K}","type":"string"}]',
  ],
  'colours of a terminal': [
    '\u001b[32mAPI_KEY\u001b[0m=\u001b[33m{K}\u001b[0m',
    '\u001b[1mpassword\u001b[22m: \u001b[36m{P}\u001b[39m',
    "Headers { \u001b[32m'x-api-key'\u001b[39m: [ \u001b[32m'{K}'\u001b[39m ] }",
    '{"out": "\\u001b[32mAPI_KEY\\u001b[0m=\\u001b[33m{K}\\u001b[0m"}',
    '\u001b[01;31m\u001b[KAPI_KEY\u001b[m\u001b[K={K}',
    "printf '\\033[1mtoken\\033[0m: {K}'",
    '\u001b[2mok\u001b[0m {"token": "{K}"}\n\n\u001b[32mapi_key\u001b[0m: \u001b[36m{L}\u001b[0m',
  ],
};

const STAYS = [
  'tokens: [word, word]',
  'tokens:\n  - access_token\n  - refresh_token\n',
  'keys:\n  - name: a\n  - name: b\n',
  'password:\n  - must have 8 characters\n  - at least one digit\n',
  "'password' => ['required', 'string', 'min:8', 'required_if:type,1'],",
  '"password": ["This password is too short.", "This password is too common."]',
  'secrets:\n  - db_password\n  - api-key-v2\n',
  'token:\n  type: string\n  required: true\n',
  '"pass": {\n  "default": "Required children are present"\n}',
  "[['a', 'password'], ['b', ['237d', 'g546fs9']]]",
  "  'password',\n  'GENERATE-MD5',\n",
  'Password:\nann@web01:~$ \n',
  'if not token:\n    return None\n',
  'args:\n- --token-file\n- /run/secrets/token\n- --password\n- $(PASSWORD)\n- --password\n- --verbose\n',
  'set-cookie:\n- theme=dark; Path=/\n',
  'x-api-key:\n- REDACTED\n',
  'queryKey: ["todos", "page-2"]',
  '## Token\n\nInvalidTokenError2\n',
  '### Password\n\nRequired.\n',
  '- token\n  - access_token\n',
  'Password\n: a word of eight letters\n',
  '<tr><td>password</td><td>Required</td></tr>',
  '\u001b[32mpassword\u001b[0m: \u001b[33mrequired\u001b[0m',
  '"apikey": [{ "key": "value", "value": "{{api_key}}" }]',
  'env:\n  - name: PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: db\n        key: password1\n',
];

/** The text, and the secrets put into it. */
function filled(template: string): { text: string; secrets: string[] } {
  const secrets: string[] = [];
  const text = template.replace(/\{([KLP])\}/g, (_, kind: string) => {
    const seed = secrets.length + 5;
    const makes: Record<string, string> = { K: random(32, HEX, seed), L: random(36, undefined, seed) };
    secrets.push(makes[kind] ?? `${PASSWORD}${seed}`);
    return secrets.at(-1) ?? '';
  });
  return { text, secrets };
}

describe.each(Object.entries(SECRETS))('%s', (_, templates) => {
  it.each(templates)('%j', async (template) => {
    const { text, secrets } = filled(template);
    const { text: cleaned } = await sanitiser.clean(text);
    expect(secrets.filter((secret) => cleaned.includes(secret))).toEqual([]);
    expect(cleaned.replace(/\[REDACTED:[a-z-]+\]/g, '{}')).toBe(
      text.replace(new RegExp(secrets.map((secret) => secret.replace(/\W/g, '\\$&')).join('|'), 'g'), '{}'),
    );
  });
});

it.each(STAYS)('stays: %j', async (text) => {
  expect((await sanitiser.clean(text)).text).toBe(text);
});

it('takes a key of digits that change between figures and letters rarely', async () => {
  const key = '48359042617373283' + 'acdfdebaffbdcea';
  const { text } = await sanitiser.clean(`x-api-key:\n- ${key}\n`);
  expect(text).toBe('x-api-key:\n- [REDACTED:api-key]\n');
});

it('cleans lists in JSON values', async () => {
  const keys = [5, 6, 7, 8, 9, 10].map((seed) => random(32, HEX, seed));
  const [one, two, three, four, five, six] = keys;
  const { value } = await sanitiser.cleanValue({
    args: ['serve', '--password', PASSWORD, '--port', '80'],
    rawHeaders: ['x-api-key', one, 'accept', 'text/plain'],
    headers: { 'set-cookie': [`sid=${two}; Path=/`], authorization: [`Token ${three}`] },
    cookies: [{ name: 'sid', value: four, path: '/' }],
    api_keys: [five],
    jar: { cookies: { session: six, theme: 'dark' } },
    tokens: ['word', 'word'],
  });
  expect(value).toEqual({
    args: ['serve', '--password', '[REDACTED:password]', '--port', '80'],
    rawHeaders: ['x-api-key', '[REDACTED:api-key]', 'accept', 'text/plain'],
    headers: {
      'set-cookie': ['sid=[REDACTED:cookie]; Path=/'],
      authorization: ['Token [REDACTED:authorization]'],
    },
    cookies: [{ name: 'sid', value: '[REDACTED:cookie]', path: '/' }],
    api_keys: ['[REDACTED:api-key]'],
    jar: { cookies: { session: '[REDACTED:cookie]', theme: 'dark' } },
    tokens: ['word', 'word'],
  });
});
