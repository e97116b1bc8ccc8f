import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  buildSourceKey,
  documentKey,
  isOfKind,
  parseSourceKey,
  pathOfKey,
  repeatedKeys,
} from '../../src/core/source-key.js';

const without = (characters: string) =>
  fc.string().filter((text) => ![...characters].some((each) => text.includes(each)));

it('parsing a key returns the parts from which it was built', () => {
  const keys = fc.record({
    kind: without(':/'),
    owner: without('/'),
    name: fc.option(fc.string(), { nil: undefined }),
  });
  fc.assert(
    fc.property(keys, (key) => {
      expect({ name: undefined, ...parseSourceKey(buildSourceKey(key)) }).toEqual(key);
    }),
  );
});

it('building a key from its parsed parts returns the key', () => {
  fc.assert(
    fc.property(without(':/'), fc.string(), (kind, rest) => {
      const key = `${kind}:${rest}`;
      expect(buildSourceKey(parseSourceKey(key))).toBe(key);
    }),
  );
});

it('documents are identified by project and path, sessions by harness and id', () => {
  const key = documentKey('p1', 'docs/a:b.md');
  expect(key).toBe('doc:p1/docs/a:b.md');
  expect(pathOfKey(key)).toBe('docs/a:b.md');
  expect(parseSourceKey('opencode:ses_1')).toEqual({ kind: 'opencode', owner: 'ses_1' });
  expect(parseSourceKey('codex:1/agent')).toEqual({ kind: 'codex', owner: '1', name: 'agent' });
  expect([isOfKind(key, 'doc'), isOfKind('docs:1', 'doc')]).toEqual([true, false]);
});

it('a checkpoint repeats its session, or a sub-agent and its session; other sources repeat nothing', () => {
  expect(repeatedKeys('checkpoint:claude-code:a/1.md')).toEqual(['claude-code:a']);
  expect(repeatedKeys('checkpoint:claude-code:a/helper/1.md')).toEqual([
    'claude-code:a',
    'claude-code:a/helper',
  ]);
  expect(repeatedKeys('doc:checkpoint/a/1.md')).toEqual([]);
});
