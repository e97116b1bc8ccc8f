import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { newToken, readTokenFile, Tokens } from '../../src/broker/tokens.js';
import { it } from '../support/it.js';
import { temporaryFolder } from '../support/palace.js';

it('reads a token from a file of its user only, and does not wait for a pipe', ({ folder }) => {
  const [file, inner, pipe] = ['token', 'folder', 'pipe'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const token = newToken();
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  mkdirSync(inner);
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(readTokenFile(file)).toBe(token);
  expect(readTokenFile(join(folder, 'gone'))).toBeUndefined();
  for (const other of [inner, pipe]) expect(() => readTokenFile(other)).toThrow(`${other} is not a file`);
});

describe('the tokens of a palace', () => {
  const [one, other] = [newToken(), newToken()];
  const written = (content: object): Tokens => {
    const tokens = new Tokens(temporaryFolder());
    writeFileSync(tokens.file, JSON.stringify(content), { mode: 0o600 });
    return tokens;
  };
  const entry = (token: string, more: object = {}) => ({
    name: 'ada',
    sha256: createHash('sha256').update(token).digest('hex'),
    read_only: false,
    created: '2026-01-02T03:04:05.000Z',
    ...more,
  });

  it('are read from files of before there were wings', () => {
    const tokens = written({ v: 1, tokens: [entry(one)] });
    expect(tokens.holderOf(one)).toMatchObject({ name: 'ada', wing: undefined });
    tokens.put(other, { name: 'bo', readOnly: true, wing: 'shop' });
    expect(tokens.holderOf(one)).toMatchObject({ name: 'ada', wing: undefined });
    expect(tokens.holderOf(other)).toMatchObject({ name: 'bo', readOnly: true, wing: 'shop' });
    expect(tokens.holderOf(newToken())).toBeUndefined();
    expect(tokens.list().map(({ name, wing }) => [name, wing])).toEqual([
      ['ada', undefined],
      ['bo', 'shop'],
    ]);
    expect(tokens.revoke('bo')).toBe(true);
    expect(JSON.parse(readFileSync(tokens.file, 'utf8'))).toEqual({ v: 1, tokens: [entry(one)] });
  });

  it('let nobody in whose restriction is not known, or in the wrong place', () => {
    for (const content of [
      { tokens: [entry(one, { wing: 'shop' })] },
      { tokens: [entry(one, { until: '2027' })] },
      { tokens: [], wing_tokens: [entry(one)] },
      { tokens: [], wing_tokens: [entry(one, { wing: 'shop', rooms: [] })] },
    ])
      expect(() => written({ v: 1, ...content }).holderOf(one)).toThrow('is damaged');
  });
});
