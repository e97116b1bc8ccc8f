import { describe, expect, it } from 'vitest';
import { isAdHoc } from '../../../../src/cli/commands/docs/run.js';
import { isNarrowed, scopeOf } from '../../../../src/cli/commands/session/run.js';
import type { DocsFlags } from '../../../../src/cli/programs/docs.js';
import type { SessionFlags } from '../../../../src/cli/programs/session.js';
import {
  formatBytes,
  formatSeconds,
  parseCount,
  parseDuration,
  parseSize,
} from '../../../../src/terminal/durations.js';

const COMMON = { color: true, wait: 10_000, redact: true };
const session = (changes: Partial<SessionFlags> = {}): SessionFlags => ({
  ...COMMON,
  minMessages: 3,
  subagents: true,
  backup: true,
  ...changes,
});

describe('documents', () => {
  it('are complete by default, and partial if the command line changes the selection', () => {
    const docs: DocsFlags = { ...COMMON, gitignore: true };
    expect(isAdHoc(docs)).toBe(false);
    for (const changes of [
      { include: ['*.js'] },
      { exclude: ['x'] },
      { gitignore: false },
      { maxFileSize: 1024 },
    ]) {
      expect(isAdHoc({ ...docs, ...changes }), JSON.stringify(changes)).toBe(true);
    }
  });
});

describe('sessions', () => {
  it('recognises partial runs', () => {
    expect(isNarrowed(session())).toBe(false);
    expect(isNarrowed(session({ since: true }))).toBe(false);
    for (const changes of [{ since: 1 }, { session: ['ses_1'] }, { directory: '/x' }, { limit: 5 }]) {
      expect(isNarrowed(session(changes)), JSON.stringify(changes)).toBe(true);
    }
  });

  it('gives equal scopes only to comparable runs', () => {
    const scope = (changes: Partial<SessionFlags> = {}, databases = ['/b', '/a']) =>
      scopeOf(session(changes), databases);
    expect(scope({ since: true })).toBe(scope({}, ['/a', '/b']));
    expect(scope({ force: true, wait: 3_600_000 })).toBe(scope());
    const others = [
      scope({ minMessages: 1 }),
      scope({ subagents: false }),
      scope({ wing: 'w' }),
      scope({ redact: false }),
      scope({}, ['/a']),
    ];
    expect(new Set([scope(), ...others]).size).toBe(6);
  });
});

describe('quantities', () => {
  it.each([
    ['10', 10_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['5m', 300_000],
  ])('duration %s', (text, ms) => expect(parseDuration('--wait', text)).toBe(ms));

  it.each([
    ['100', 100],
    ['2M', 2 * 1024 ** 2],
    ['1.5k', 1536],
    ['1GiB', 1024 ** 3],
  ])('size %s', (text, bytes) => expect(parseSize('--max-file-size', text)).toBe(bytes));

  it('refuses anything else', () => {
    for (const text of ['', 'x', '-1', '1d', '1e3', 'Infinity', '1,5s'])
      expect(() => parseDuration('--wait', text), text).toThrow();
    for (const text of ['', 'big', '-1', '1T'])
      expect(() => parseSize('--max-file-size', text), text).toThrow();
    for (const text of ['', '0', '1.5', '-3', '99999999999999999999'])
      expect(() => parseCount('--limit', text, 1), text).toThrow();
  });

  it('has readable errors', () => {
    expect([
      formatBytes(999),
      formatBytes(1_234_567),
      formatSeconds(3.25),
      formatSeconds(59.6),
      formatSeconds(190),
    ]).toEqual(['999 B', '1.2 MB', '3.3s', '1m 0s', '3m 10s']);
  });
});
