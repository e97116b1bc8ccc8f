import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/core/json.js';
import { HARNESSES } from '../../../src/feeders/transcripts/harnesses/index.js';
import { readHead } from '../../../src/feeders/transcripts/head.js';
import { homeOfLogs, LOG_HARNESSES } from '../../support/harness-fixtures.js';

type Path = readonly string[];
const VALUES = [null, { a: 1 }, 'x7'];
/** A transcript with fewer records may lack some kinds. */
const LEAST_RECORDS = 8;
/** They say what a record is, or contain words as JSON. */
const KINDS = new Set(['type', 'role', 'kind', 'arguments', 'function']);

/** Every field of a record, at any depth; `*` stands for the items of a list. */
function pathsOf(value: unknown): Path[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsOf(each).map((path) => ['*', ...path]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    [key],
    ...pathsOf(each).map((path) => [key, ...path]),
  ]);
}

function replaced(value: unknown, [key = '', ...rest]: Path, by: unknown): unknown {
  if (Array.isArray(value)) return key === '*' ? value.map((each) => replaced(each, rest, by)) : value;
  if (!isRecord(value) || !(key in value)) return value;
  return { ...value, [key]: rest.length === 0 ? by : replaced(value[key], rest, by) };
}

function valueAt(value: unknown, [key = '', ...rest]: Path): unknown {
  if (Array.isArray(value)) return value.map((each) => valueAt(each, rest));
  if (!isRecord(value)) return undefined;
  return rest.length === 0 ? value[key] : valueAt(value[key], rest);
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** What a transcript says, and the program that is recognised. */
async function read(path: string): Promise<{ texts: string[]; name: string | undefined }> {
  const head = await readHead(path);
  const harness = HARNESSES.find((each) => each.recognises(head));
  const texts: string[] = [];
  for (const identity of (await harness?.identify(head)) ?? []) {
    const files = [{ path, size: head.size, mtimeMs: 0 }] as const;
    for await (const entry of harness?.read({ files, identity, agents: new Set() }) ?? []) {
      if (entry.kind === 'summary') texts.push(entry.text);
      if (entry.kind !== 'turn') continue;
      for (const part of entry.parts)
        texts.push(...(part.kind === 'call' ? leaves(part.input) : [part.text.replace(/^\[[a-z ]+\] /, '')]));
    }
  }
  return { texts, name: harness?.name };
}

describe('fields of another type', () => {
  it.each(LOG_HARNESSES)(
    'lose no words of a transcript of %s',
    async (harness) => {
      const { files } = homeOfLogs(harness);
      const countOf = (path: string) => readFileSync(path, 'utf8').split('\n').length;
      const bySize = files.sort((one, other) => countOf(one) - countOf(other));
      const file = bySize.find((path) => countOf(path) > LEAST_RECORDS) ?? bySize.at(-1) ?? '';
      const records = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
      const sound = await read(file);
      const paths = new Map(records.flatMap(pathsOf).map((path) => [path.join('.'), path]));
      const lost: unknown[] = [];
      const saysWords = (values: unknown) =>
        leaves(values).some((leaf) => leaf.length > 1 && sound.texts.some((text) => text.includes(leaf)));
      let tried = 0;
      for (const [name, path] of paths) {
        if (KINDS.has(path.at(-1) ?? '') || saysWords(records.map((each) => valueAt(each, path)))) continue;
        tried += 1;
        for (const value of VALUES) {
          const changed = records.map((each) => replaced(each, path, value));
          writeFileSync(file, changed.map((each) => `${JSON.stringify(each)}\n`).join(''));
          const found = await read(file);
          const gone = sound.texts.filter((text) => !found.texts.some((each) => each.includes(text)));
          if (gone.length > 0) lost.push([name, JSON.stringify(value), gone.length, gone[0]?.slice(0, 60)]);
        }
      }
      expect(tried).toBeGreaterThan(3);
      expect(lost).toEqual([]);
    },
    120_000,
  );
});
