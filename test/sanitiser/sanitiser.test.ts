import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCounts, createSanitiser, SANITISER_VERSION } from '../../src/sanitiser/index.js';
import { ALPHANUMERIC, BY_RULES, BY_SECRETLINT, HEX, JWT, PASSWORD, PEM, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const clean = async (text: string) => (await sanitiser.clean(text)).text;

describe('shapes', () => {
  for (const [name, [secret, kind]] of Object.entries(BY_SECRETLINT)) {
    it(`secretlint's ${name}`, async () => {
      const { text, redacted } = await sanitiser.clean(`before ${secret} after`);
      expect(redacted).toEqual({ [kind]: 1 });
      expect(text).toContain(`[REDACTED:${kind}]`);
      expect(text).toMatch(/^before .* after$/);
      expect(text).not.toContain(secret);
    });
  }

  for (const [secret, kind] of BY_RULES) {
    it(`our own ${kind} ${secret.slice(0, 5)}…`, async () => {
      expect(await sanitiser.clean(`before ${secret} after`)).toEqual({
        text: `before [REDACTED:${kind}] after`,
        redacted: { [kind]: 1 },
      });
    });
  }

  it('replaces the AWS secret key, not its name', async () => {
    const key = random(40, `${ALPHANUMERIC}/+`);
    for (const name of ['AWS_SECRET_ACCESS_KEY = ', 'aws_secret_access_key=', '"SecretAccessKey": "']) {
      expect(await clean(`${name}${key}`)).toBe(`${name}[REDACTED:aws-secret-key]`);
    }
  });

  it('replaces only the password of a URL', async () => {
    for (const [before, after] of [
      ['postgres://app:', '@db.invalid:5432/x?sslmode=require'],
      ['redis://:', '@cache.invalid'],
      ['[docs](https://bot:', '@host.invalid/path)'],
      ['DATABASE_URL="mysql://root:', '@10.0.0.1/db"'],
    ]) {
      expect(await clean(before + PASSWORD + after)).toBe(`${before}[REDACTED:password]${after}`);
    }
    expect(await clean(`amqp://app:p@${random(6)}@h.invalid`)).toBe(
      'amqp://app:[REDACTED:password]@h.invalid',
    );
  });

  it('replaces the values of Authorization headers', async () => {
    const basic = Buffer.from(`someone:${PASSWORD}`).toString('base64');
    const opaque = random(40);
    expect(await clean(`Authorization: Basic ${basic}`)).toBe('Authorization: Basic [REDACTED:basic-auth]');
    expect(await clean(`-H "authorization: bearer ${opaque}"`)).toBe(
      '-H "authorization: bearer [REDACTED:bearer]"',
    );
    expect(await clean(`Authorization: Token ${opaque}`)).toBe(
      'Authorization: Token [REDACTED:authorization]',
    );
    expect(await clean(`Authorization: Bearer ${JWT}`)).toBe('Authorization: Bearer [REDACTED:jwt]');
  });

  it('replaces a private key whole, escaped, indented, quoted, numbered or cut short', async () => {
    const marker = '[REDACTED:private-key]';
    expect(await clean(PEM.join('\r\n'))).toBe(marker);
    expect(await clean(`"key": "${PEM.join('\\n')}\\n"`)).toBe(`"key": "${marker}\\n"`);
    expect(await clean(`key: |\n${PEM.map((line) => `  ${line}`).join('\n')}\n`)).toBe(
      `key: |\n  ${marker}\n`,
    );
    expect(await clean(PEM.map((line, n) => `0000${n}| ${line}`).join('\n'))).toBe(`00000| ${marker}`);
    expect(await clean(`${PEM.slice(0, -1).join('\n')}\n(cut)`)).toBe(`${marker}\n(cut)`);
    const form = `${PEM.at(0)}\n...\n${PEM.at(-1)}`;
    expect(await clean(form)).toBe(form);
  });
});

describe('private blocks', () => {
  it.each([
    ['a <private>x</private> b', 'a [PRIVATE] b', 1],
    ['a <PRIVATE>\r\nx\r\n</Private> b', 'a [PRIVATE] b', 1],
    ['<private>a<private>b</private>c</private>d', '[PRIVATE]d', 1],
    ['<private>a</private><private>b</private>', '[PRIVATE][PRIVATE]', 2],
    ['<private>open <private>x</private>', '<private>open [PRIVATE]', 1],
    ['an open <private> tag', 'an open <private> tag', 0],
    ['a closing </private> tag', 'a closing </private> tag', 0],
  ])('%j', async (text, expected, count) => {
    const cleaned = await sanitiser.clean(text);
    expect(cleaned).toEqual({ text: expected, redacted: count > 0 ? { private: count } : {} });
  });

  it('are removed before secrets, which are not counted inside', async () => {
    const { redacted } = await sanitiser.clean(`<private>password=${PASSWORD} ${JWT}</private>`);
    expect(redacted).toEqual({ private: 1 });
  });
});

describe('text that stays unchanged', () => {
  it('instructions to secretlint in the text are content', async () => {
    const [token] = BY_SECRETLINT.github ?? [''];
    for (const comment of ['secretlint-disable', 'secretlint-disable-line', 'secretlint-disable-next-line']) {
      const text = `<!-- ${comment} -->\n// ${comment}\n${token} // ${comment}\n`;
      expect(await clean(text)).toBe(text.replace(token, '[REDACTED:github-token]'));
    }
  });

  it('a byte order mark, CRLF and characters outside the basic plane', async () => {
    const text = `\ufeff🔑${JWT}🔑\r\npassword: ${PASSWORD}\r\n🙂`;
    expect(await clean(text)).toBe('\ufeff🔑[REDACTED:jwt]🔑\r\npassword: [REDACTED:password]\r\n🙂');
    expect(await clean(`mongodb://u:${'🔑x'.repeat(30)}@h.invalid`)).toBe(
      'mongodb://u:[REDACTED:password]@h.invalid',
    );
  });

  it('markers of an earlier run, but not secrets next to them', async () => {
    const [token] = BY_SECRETLINT.github ?? [''];
    expect(await clean(`token="[REDACTED:jwt],${token},${random(20)}"`)).toBe(
      `token="[REDACTED:jwt],[REDACTED:github-token],${random(20)}"`,
    );
    expect(await clean(`mongodb://u:[REDACTED:password]@h.invalid ${JWT}`)).toBe(
      'mongodb://u:[REDACTED:password]@h.invalid [REDACTED:jwt]',
    );
  });

  it('everything, when redaction is off', async () => {
    const off = await createSanitiser({ redact: false });
    const text = `<private>x</private> ${JWT}`;
    expect(off.version).toBe(0);
    expect(await off.clean(text)).toEqual({ text, redacted: {} });
    const value = { password: PASSWORD };
    expect(await off.cleanValue(value)).toEqual({ value, redacted: {} });
    expect(sanitiser.version).toBe(SANITISER_VERSION);
  });
});

const secrets = [...Object.values(BY_SECRETLINT), ...BY_RULES].map(([secret]) => secret);
const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(...secrets, PASSWORD, random(32, HEX)),
      fc.constantFrom(
        'password=',
        'TOKEN: ',
        '"secret": "',
        '"',
        "'",
        '\\"',
        'Bearer ',
        '://u:',
        '@',
        '/',
        '\r\n',
        ' ',
      ),
      fc.constantFrom(
        ...'<private> </private> [REDACTED:jwt] [PRIVATE] secretlint-disable 🔑 . _ -'.split(' '),
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

describe('properties', () => {
  it('cleaning again changes nothing and counts nothing', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const { text: once } = await sanitiser.clean(text);
        expect(await sanitiser.clean(once)).toEqual({ text: once, redacted: {} });
      }),
      { numRuns: 1500 },
    );
  });

  it('the text between the markers is the original, in order', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const { text: cleaned } = await sanitiser.clean(text);
        let from = 0;
        for (const part of cleaned.split(/\[(?:REDACTED:[a-z0-9-]+|PRIVATE)\]/)) {
          const at = text.indexOf(part, from);
          expect(at).toBeGreaterThanOrEqual(0);
          from = at + part.length;
        }
        expect(loneSurrogates(cleaned)).toBe(loneSurrogates(text));
      }),
      { numRuns: 500 },
    );
  });

  it('a secret on its own line never stays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...secrets), fc.lorem(), fc.lorem(), async (secret, before, after) => {
        expect(await clean(`${before}\n${secret}\n${after}`)).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});

const loneSurrogates = (text: string) => text.match(/\p{Surrogate}/gu)?.length ?? 0;

it('addCounts adds', () => {
  const counts = { jwt: 1 };
  addCounts(counts, { jwt: 2, password: 1 });
  expect(counts).toEqual({ jwt: 3, password: 1 });
});
