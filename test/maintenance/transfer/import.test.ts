import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forget } from '../../../src/maintenance/forget.js';
import { findMeant } from '../../../src/maintenance/forgettable.js';
import { exportLines } from '../../../src/maintenance/transfer/export-lines.js';
import { importLines } from '../../../src/maintenance/transfer/import.js';
import { fileTexts, hashOf, TINY_MODEL, temporaryFolder, temporaryPalace } from '../../support/palace.js';

const NOW = '2026-01-02T00:00:00.000Z';

it('an import does not file what repeats a session that was forgotten here', async () => {
  const key = 'claude-code:talk-1';
  const [there, here] = [temporaryPalace(), temporaryPalace()];
  for (const palace of [there, here]) fileTexts(palace, key, ['what was said'], { kind: 'conversation' });
  for (const session of [key, 'claude-code:talk-2'])
    fileTexts(there, `checkpoint:${session}/1.md`, ['what was asked']);
  await forget(here, findMeant(here, { source: key }), { now: NOW });
  const file = join(temporaryFolder(), 'palace.jsonl');
  const lines = [...exportLines(there, { wing: undefined, made: NOW })];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const id = here.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  const { problems } = await importLines({
    ...{ palace: here, file, model: TINY_MODEL, run: { id, now: NOW } },
    findSecrets: async () => ({}),
    keyOf: hashOf,
  });
  expect(problems.filter(({ reason }) => reason === 'forgotten')).toHaveLength(2);
  expect(here.sources.byKey(`checkpoint:${key}/1.md`)).toBeUndefined();
});
