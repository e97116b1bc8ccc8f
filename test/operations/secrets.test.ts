import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnyProcedure } from '../../src/operations/operation.js';
import type { Answer } from '../../src/service/contract/index.js';
import { filledPalace, serviceOf } from '../service/palace.js';
import { ask, OPERATIONS, type Operations } from '../support/ask.js';

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const SAID = `The gate opens with ${SECRET}.`;
const PLACE = { wing: 'wing_a', room: 'notes' };
const FACT = { subject: 'gate', predicate: 'default_branch' };

type Name = keyof Operations;

/** Operations that file a text of who asks, each after those before it. */
const ORDERS: readonly [Name, (answers: Record<string, Answer>) => Answer][] = [
  ['kgAdd', () => ({ ...FACT, object: SAID, source_file: SAID })],
  ['kgSupersede', () => ({ ...FACT, object: `${SAID} Now.`, source_file: SAID })],
  ['taskAdd', () => ({ text: SAID })],
  ['taskDone', ({ taskAdd }) => ({ id: Object(taskAdd?.task).id, result: SAID })],
  ['collectionAdd', () => ({ name: 'gates', query: SAID })],
  ['diaryWrite', () => ({ agent: 'pi', entry: SAID })],
  ['addDrawer', () => ({ ...PLACE, content: SAID })],
  ['updateDrawer', ({ addDrawer }) => ({ drawer_id: addDrawer?.drawer_id, content: `${SAID} Now.` })],
  ['saveSession', () => ({ items: [{ ...PLACE, content: `${SAID} Again.` }], dedup_threshold: 1 })],
  [
    'fileSummary',
    () => ({ session: 'session:o:ses_1', mtime_ms: 1, model: 'small', tokens: 1, content: SAID }),
  ],
  ['kgAdd', () => ({ ...FACT, object: 'main' })],
  [
    'kgResolve',
    ({ kgSupersede, kgAdd }) => {
      const facts = [kgSupersede, kgAdd].map((answer) => Object(answer?.fact).triple_id);
      return { facts, keep: facts[1], because: SAID };
    },
  ],
];
/** Those that file none: they choose, mark or remove what is there. */
const OTHERS: readonly Name[] = [
  ...(['deleteDrawer', 'set', 'forget', 'kgInvalidate', 'taskTake', 'taskDrop'] as const),
  ...(['collectionExclude', 'collectionRemove', 'collectionDrop'] as const),
  // Staged texts are without secrets; test/miner/received.test.ts.
  ...(['announceSources', 'receiveText', 'fileReceived', 'reopen'] as const),
];

it('no operation that writes stores a secret, whatever it files', async () => {
  const writing = Object.entries<AnyProcedure>(OPERATIONS).flatMap(([name, { reads }]) =>
    reads === true ? [] : [name],
  );
  expect(writing.sort()).toEqual([...new Set([...ORDERS.map(([name]) => name), ...OTHERS])].sort());
  const folder = await filledPalace();
  const service = serviceOf(folder);
  const answers: Record<string, Answer> = {};
  for (const [name, input] of ORDERS) {
    answers[name] = (await ask(service, name, input(answers) as never)) as Answer;
    expect([name, JSON.stringify(answers[name])]).not.toEqual([name, expect.stringContaining(SECRET)]);
  }
  // Texts of sources are compressed.
  const lists: readonly [Name, Answer][] = [
    ...(['listDrawers', 'diaryRead', 'kgTimeline'] as const).map((name): [Name, Answer] => [
      name,
      { limit: 100 },
    ]),
    ['taskList', { all: true }],
    ['collectionList', {}],
  ];
  expect(answers.fileSummary).toMatchObject({ outcome: 'filed' });
  for (const [name, input] of lists) {
    const listed = JSON.stringify(await ask(service, name, input as never));
    expect([name, listed]).toEqual([name, expect.stringContaining('[REDACTED:github-token]')]);
    expect([name, listed]).not.toEqual([name, expect.stringContaining(SECRET)]);
  }
  await service.close();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) expect([name, readFileSync(path).includes(SECRET)]).toEqual([name, false]);
  }
});
