import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contentOf } from '../support/drawers.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { textsWith, traces } from '../support/traces.js';
import { NEEDLES, unredacted } from '../support/unredacted.js';

type Line = Record<string, unknown> & { type: string };

async function exported(env: TestEnv): Promise<{ file: string; lines: Line[] }> {
  const file = join(env.home, 'all.jsonl');
  await env.json('mempalace', ['export', '--jsonl', '--to', file]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return { file, lines: lines.map((line) => JSON.parse(line)) };
}

const write = (file: string, lines: readonly unknown[]) =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** The source of a line. */
const of = ({ type, source_key: key, source }: Line): unknown =>
  type === 'source' ? key : ['text', 'drawer', 'end'].includes(type) ? source : undefined;

/** Changes the first line of a type. */
function planted(type: string, change: (line: Line) => Line): (lines: Line[]) => Line[] {
  return (lines) => {
    const at = lines.findIndex((line) => line.type === type);
    return lines.with(at, change(lines[at] as Line));
  };
}

/** Also searched by `traces`. */
const elsewhere = (env: TestEnv) => ['--palace', join(env.home, '.mempalace', 'elsewhere')];

it('an export of a palace that kept everything: secrets under the current rules are not filed, and are counted by kind', async () => {
  const { env, history } = await unredacted();
  history.close();
  const { file } = await exported(env);
  await env.json('mempalace', ['scrub']);
  expect([traces(env, ...NEEDLES), textsWith(env, ...NEEDLES)]).toEqual([[], []]);

  const into = elsewhere(env);
  const held = await env.run('mempalace', ['import', file, ...into, '--json']);
  expect(held.exitCode).toBe(3);
  const outcome = JSON.parse(held.stdout);
  expect(outcome).toMatchObject({ new: 1, skipped_by_reason: { 'held back': 3 } });
  const kinds = (outcome.problems as { origin: string; detail: string }[]).map(({ detail }) =>
    detail.replace(/^it contains what is redacted today: /, ''),
  );
  expect(kinds.sort()).toEqual([
    'api-key, password, private',
    'github-token, injected',
    'github-token, injected, password',
  ]);
  for (const needle of NEEDLES) expect(held.stdout + held.stderr).not.toContain(needle);
  // Not in the palace, in a log, or among the texts of vectors.
  expect(traces(env, ...NEEDLES)).toEqual([]);
  expect(problemsOf(into[1] ?? '')).toEqual([]);

  // After a scrub and a new export, everything is imported.
  const cleaned = await exported(env);
  expect(await env.json('mempalace', ['import', cleaned.file, ...into])).toMatchObject({
    new: 3,
    unchanged: 1,
    problems: [],
  });
  // The sources without secrets are still marked as unchecked; a scrub would check them. What the
  // sessions did is derived by the import, and by the next run in the other palace.
  const unversioned = (palace: string) =>
    JSON.stringify(contentOf(palace))
      .replaceAll(/"versions":"sanitiser \d+,/g, '"versions":"')
      .replaceAll(/"activity":(null|\d+)/g, '');
  expect(unversioned(into[1] ?? '')).toEqual(unversioned(env.palace));

  // Words in a drawer or in the name of a source, but not in its text, are not filed either.
  const [token = ''] = NEEDLES;
  const plants: ((lines: Line[]) => Line[])[] = [
    planted('source', (line) => ({ ...line, title: `Rotate ${token}` })),
    planted('source', (line) => ({ ...line, directory: `/home/me/${token}` })),
    planted('drawer', (line) => ({ ...line, context: `Why ${token}?` })),
    planted('drawer', (line) => ({ ...line, context: '', char_end: Number(line.char_end) + 1 })),
  ];
  const keys = cleaned.lines.flatMap(({ type, source_key: key }) => (type === 'source' ? [key] : []));
  expect(keys).toHaveLength(plants.length);
  const lines = plants.flatMap((plant, index) =>
    plant(cleaned.lines.filter((line) => of(line) === keys[index])),
  );
  write(file, [
    ...cleaned.lines.filter((line) => of(line) === undefined && line.type !== 'done'),
    ...lines,
    { type: 'done', sources: 4 },
  ]);
  const third = join(env.home, '.mempalace', 'third');
  expect(await env.json('mempalace', ['import', file, '--palace', third], 3)).toMatchObject({
    new: 0,
    skipped_by_reason: { 'held back': 3, incomplete: 1 },
  });
  expect(traces(env, ...NEEDLES)).toEqual([]);
}, 120_000);
