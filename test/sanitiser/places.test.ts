import { describe, expect, it } from 'vitest';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { HEX, PASSWORD, random } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const TOKEN = random(32);

describe('what is known by the place it stands in', () => {
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
  ])('stays: %s', async (text) => {
    expect(await sanitiser.clean(text)).toEqual({ text, redacted: {} });
  });

  it('no token begins in the middle of a word, or goes on behind its end', async () => {
    const token = `sb${'p'}_${random(40, HEX)}`;
    expect((await sanitiser.clean(token)).redacted).toEqual({ 'supabase-key': 1 });
    expect((await sanitiser.clean(`1${token}`)).redacted).toEqual({ 'supabase-key': 1 });
    expect((await sanitiser.clean(`a${token}`)).redacted).toEqual({});
    expect((await sanitiser.clean(`${token}-x`)).redacted).toEqual({});
  });
});
