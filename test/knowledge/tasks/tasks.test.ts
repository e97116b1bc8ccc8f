import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addTask, dropTask, finishTask } from '../../../src/knowledge/tasks/tasks.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { it } from '../../support/it.js';

const writing = async () => ({
  sanitiser: await createSanitiser({ redact: true }),
  now: new Date('2026-06-01T12:00:00Z'),
  record: () => {},
});

it('is finished by nobody but the agent that it is for, and by the user', async ({ palace }) => {
  const { task } = await addTask(
    palace,
    { text: 'Oil it.', agent: 'codex', added_by: 'pi' },
    await writing(),
  );
  const done = async (agent?: string) => finishTask(palace, { id: task.id, agent }, await writing());
  await expect(done('pi')).rejects.toMatchObject({ code: 'failed', message: 'task 1 is for codex' });
  expect((await done('Codex')).task.done_by).toBe('codex');
  const other = await addTask(palace, { text: 'Paint it.', agent: 'codex', added_by: 'pi' }, await writing());
  const { task: finished } = await finishTask(palace, { id: other.task.id }, await writing());
  expect([finished.state, finished.done_by]).toEqual(['done', null]);
});

it('leaves nothing in the palace’s folder when it is deleted, while a program has it open', async ({
  palace,
}) => {
  const { task } = await addTask(
    palace,
    { text: 'Oil the squeaking gate.', added_by: 'pi' },
    await writing(),
  );
  const traces = () =>
    readdirSync(palace.folder, { withFileTypes: true }).filter(
      (item) => item.isFile() && readFileSync(join(palace.folder, item.name)).includes('squeaking'),
    );
  expect(traces()).not.toEqual([]);
  dropTask(palace, task.id, () => {});
  expect(traces()).toEqual([]);
});
