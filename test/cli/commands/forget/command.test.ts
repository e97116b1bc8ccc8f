import { expect, it } from 'vitest';
import { whatOf } from '../../../../src/cli/commands/forget/command.js';

const common = { color: false, wait: 0 };

it('takes exactly one selection, or --list', () => {
  expect(whatOf({ ...common, session: 'talk-1' })).toEqual({ session: 'talk-1', paths: [] });
  expect(whatOf({ ...common, run: 3 })).toEqual({ run: 3, paths: [] });
  expect(whatOf({ ...common, source: '/a/b.md' })).toEqual({
    source: '/a/b.md',
    paths: ['/a/b.md'],
  });
  expect(whatOf({ ...common, list: true })).toBeUndefined();
  for (const wrong of [{}, { session: 'a', wing: 'b' }, { list: true, session: 'a' }])
    expect(() => whatOf({ ...common, ...wrong })).toThrow(/is needed/);
});

it('refuses options of erasing where nothing is erased', () => {
  for (const wrong of [{ backups: true }, { preview: '0123456789abcdef' }]) {
    expect(() => whatOf({ ...common, list: true, ...wrong })).toThrow(/is for erasing/);
    expect(() => whatOf({ ...common, session: 'a', allowAgain: true, ...wrong })).toThrow(/is for erasing/);
  }
});
