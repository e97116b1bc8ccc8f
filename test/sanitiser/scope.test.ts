import { describe, expect, it } from 'vitest';
import { isDistinctive } from '../../src/sanitiser/distinctive.js';
import { applyEdits, createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, PEM, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const VALUE = random(32);

describe('in one text', () => {
  it.each([
    ['behind', `password: "${VALUE}"\nlater on: ${VALUE}, and again (${VALUE})`, 3],
    ['before', `it was ${VALUE}\npassword: "${VALUE}"`, 2],
    ['inside of a longer word', `password: "${VALUE}"\nprefix${VALUE}suffix`, 2],
    ['in a path and in a query', `password: "${VALUE}"\n/srv/${VALUE}/x?y=${VALUE}&z=1`, 3],
    ['shorter, by itself', `password: "${PASSWORD}"\nthen I typed ${PASSWORD} and it worked`, 2],
    ['in base64', `password: "${VALUE}"\n  data: ${Buffer.from(VALUE).toString('base64')}`, 2],
  ])('a secret is removed in every position: %s', async (_, text, count) => {
    const { text: cleaned, redacted } = await sanitiser.clean(text);
    expect(cleaned).not.toContain(VALUE);
    expect(cleaned).not.toContain(PASSWORD);
    expect(redacted).toEqual({ password: count });
    expect(cleaned.match(/\[REDACTED:password\]/g)).toHaveLength(count);
  });

  it('percent-encoded, decoded, and escaped in JSON', async () => {
    const value = `k9"W/z+3Qd${random(6)}=p`;
    const text = `postgres://u:${encodeURIComponent(value)}@h/db\n${value}\n{"a":${JSON.stringify(value)}}`;
    const { text: cleaned } = await sanitiser.clean(text);
    expect(cleaned.match(/REDACTED/g)).toHaveLength(3);
    expect(cleaned).not.toContain('W/z+3Qd');
  });

  it('single lines of a private key are removed everywhere', async () => {
    const text = `${PEM[2]}\n\n${PEM.join('\n')}\nand: ${PEM[1]}`;
    const { text: cleaned } = await sanitiser.clean(text);
    expect(cleaned).toBe('[REDACTED:private-key]\n\n[REDACTED:private-key]\nand: [REDACTED:private-key]');
  });

  it('the rest of a long secret after a cut', async () => {
    const long = random(600);
    const cut = long.slice(0, 300);
    const { text } = await sanitiser.clean(`api_key="${long}"\n${cut}…`);
    expect(text).not.toContain(cut.slice(0, 40));
  });

  it('its name, quotes and the rest stay, and the edits produce the text', async () => {
    const text = `echo ${VALUE} | tee x\nexport DB_PASSWORD='${VALUE}' # ${VALUE}\n`;
    const traced = await sanitiser.trace(text);
    expect(traced.text).toBe(
      "echo [REDACTED:password] | tee x\nexport DB_PASSWORD='[REDACTED:password]' # [REDACTED:password]\n",
    );
    expect(traced.steps.reduce(applyEdits, text)).toBe(traced.text);
    expect((await sanitiser.clean(traced.text)).redacted).toEqual({});
  });

  it('a hash with the same digits stays if the text calls it a hash', async () => {
    const hash = random(40, HEX);
    const { text } = await sanitiser.clean(`token="${hash}"\ncommit ${hash}\nsha1:${hash}\nuse ${hash} now`);
    expect(text).toBe(`token="[REDACTED:token]"\ncommit ${hash}\nsha1:${hash}\nuse [REDACTED:token] now`);
  });
});

describe('ordinary words are never searched', () => {
  it.each([
    'postgres123',
    'Summer2024',
    'password1',
    'my-service-account-2',
    'db01.internal.example.com',
    'backup-2024-01-31.tar.gz',
    '/home/ann/project/file2.txt',
    'v1.22.333-beta.4',
    '2024-01-31T10:20:30Z',
    'getUserName2',
    'Ubuntu2204LTS',
    'utf8_general_ci',
    'x86_64-unknown-linux-gnu',
    'us-east-1b',
    'AAAAAAAA1111',
    'correct horse battery',
    'abc123',
    'eu-central-1.compute.amazonaws.com',
  ])('%s', (value) => expect(isDistinctive(value)).toBe(false));

  it.each([PASSWORD, VALUE, random(40, HEX), 'x7k2m9q4w1', `sk-${random(20)}`, random(24)])(
    'unlike %s',
    (value) => expect(isDistinctive(value)).toBe(true),
  );

  it('a word that one rule redacted as a password stays elsewhere', async () => {
    const { text } = await sanitiser.clean('DB_PASSWORD=postgres99\nimage: postgres99, user postgres99');
    expect(text).toContain('image: postgres99, user postgres99');
  });
});

describe('in a scope', () => {
  it('a secret recognised in one text is removed from earlier and later ones', async () => {
    const scope = sanitiser.scope();
    await scope.learn(`password: "${VALUE}"`);
    expect(await scope.clean(`first ${VALUE}`)).toEqual({
      text: 'first [REDACTED:password]',
      redacted: { password: 1 },
    });
    expect(await scope.cleanValue({ [`k ${VALUE}`]: [VALUE, 1, null] })).toEqual({
      value: { 'k [REDACTED:password]': ['[REDACTED:password]', 1, null] },
      redacted: { password: 2 },
    });
    expect(scope.containsKnown(`x${VALUE}`)).toBe(true);
    expect(sanitiser.scope().containsKnown(`x${VALUE}`)).toBe(false);
    expect((await sanitiser.clean(`first ${VALUE}`)).redacted).toEqual({});
  });

  it('a value recognised by its key is removed from earlier parts of the structure', async () => {
    const { value, redacted } = await sanitiser.cleanValue({
      cmd: `login ${VALUE}`,
      env: { password: VALUE },
    });
    expect(JSON.stringify(value)).not.toContain(VALUE);
    expect(redacted).toEqual({ password: 2 });
    const scope = sanitiser.scope();
    await scope.learnValue({ password: VALUE });
    expect((await scope.clean(VALUE)).text).toBe('[REDACTED:password]');
  });

  it('without redaction nothing is recognised or changed', async () => {
    const off = (await createSanitiser({ redact: false })).scope();
    await off.learn(`password: "${VALUE}"`);
    expect(await off.clean(`x ${VALUE} password: "${VALUE}"`)).toEqual({
      text: `x ${VALUE} password: "${VALUE}"`,
      redacted: {},
    });
    expect(off.known).toBe(0);
  });
});

describe('in linear time', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `ghp_${random(36, undefined, index + 1)}`);

  it('thousands of secrets with an equal beginning, megabytes of text', async () => {
    const scope = sanitiser.scope();
    await scope.learn(many.join('\n'));
    expect(scope.known).toBeGreaterThanOrEqual(many.length);
    const near = many.map((value) => `${value.slice(0, 24)}!`).join(' ');
    const text = `${near.repeat(40)}${many[7]?.slice(4)}`;
    const started = process.cpuUsage();
    expect(scope.containsKnown(text)).toBe(false);
    expect(scope.containsKnown(`${text}${many[7]}`)).toBe(true);
    const { user, system } = process.cpuUsage(started);
    // A search per secret takes minutes.
    expect((user + system) / 1e6).toBeLessThan(10);
  });

  it('a periodic text, and values of the same period', async () => {
    const scope = sanitiser.scope();
    const period = 'aB3$dE6!xZ9q';
    for (let length = 20; length < 400; length += 1)
      await scope.learn(`password="${period.repeat(40).slice(0, length)}${length}Qq"`);
    expect(scope.containsKnown(period.repeat(100_000))).toBe(true);
  });
});
