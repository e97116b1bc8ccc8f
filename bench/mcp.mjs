/**
 * How long an agent waits for mempalace-mcp: the first answer of a process next to an idle node, searches in a
 * palace of many drawers with and without a loaded model, twenty calls at once, and the memory that ten thousand calls
 * leave (`npm run build` first; part of `npm run bench`).
 */
import { join } from 'node:path';
import { median, quantile, row, timeRow } from './support/figures.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, runNode } from './support/machine.mjs';
import { McpSession } from './support/mcp-session.mjs';

const MOST_FIRST_MS = 150;
const MOST_SEARCH_MS = 100;
const MOST_GROWTH = 1.1;
const FULL = { drawers: 100_000, embedded: 10_000, starts: 15, questions: 200, calls: 10_000 };
const QUICK = { drawers: 5_000, embedded: 500, starts: 3, questions: 20, calls: 300 };
const TOGETHER = 20;
/** Calls before the first measurement of memory, which fill the caches. */
const SETTLED = 0.2;

function percentiles(name, times, more = {}) {
  return row(name, `${quantile(times, 0.5).toFixed(1)} ms`, {
    ...more,
    note: `p95 ${quantile(times, 0.95).toFixed(1)} ms, ${times.length} calls`,
  });
}

async function startRows(machine, plan) {
  const [bare, first, list, cold] = [[], [], [], []];
  for (let round = 0; round < plan.starts; round += 1) {
    bare.push((await runNode(machine, ['-e', '0'])).seconds);
    const session = new McpSession(machine);
    first.push((await session.open()).sinceStart);
    list.push((await session.ask('tools/list')).sinceStart);
    const { ms, result } = await session.call('search', { query: plan.asked[round % plan.asked.length] });
    if (result.results.length === 0) throw new Error('a first search found nothing');
    cold.push(ms);
    await session.close();
  }
  const above = median(first) - median(bare) * 1000;
  return [
    timeRow('node -e 0', bare, { unit: 'ms' }),
    row('initialize, from the start', `${median(first).toFixed(0)} ms`, {
      target: `< ${MOST_FIRST_MS} ms`,
      met: median(first) < MOST_FIRST_MS,
      note: `${above.toFixed(0)} ms above node; greatest ${Math.max(...first).toFixed(0)} ms`,
    }),
    row('tools/list, from the start', `${median(list).toFixed(0)} ms`),
    percentiles('first search (by words) after it', cold),
  ];
}

async function callRows(session, plan, note) {
  const asked = (n) => plan.asked[n % plan.asked.length];
  const rows = [];
  await session.call('check_duplicate', { content: 'the model is loaded now' });
  const warm = [];
  for (let n = 0; n < plan.questions; n += 1) {
    const { ms, result } = await session.call('search', { query: asked(n) });
    if (result.notes.length > 0) throw new Error(`not warm: ${result.notes}`);
    warm.push(ms);
  }
  rows.push(percentiles('search, model loaded', warm, target(warm)));
  const began = performance.now();
  const together = await Promise.all(
    Array.from({ length: TOGETHER }, (_, n) => session.call('search', { query: asked(n) })),
  );
  const whole = performance.now() - began;
  const last = Math.max(...together.map(({ ms }) => ms));
  rows.push(
    row(`${TOGETHER} searches at once`, `${whole.toFixed(0)} ms`, {
      note: `the last answer after ${last.toFixed(0)} ms; one after the other: ${(median(warm) * TOGETHER).toFixed(0)} ms`,
    }),
  );
  let settled;
  for (let n = 0; n < plan.calls; n += 1) {
    await session.call(...(n % 10 === 0 ? ['search', { query: asked(n) }] : CHEAP[n % CHEAP.length]));
    if (n === Math.floor(plan.calls * SETTLED)) settled = session.megabytes();
    if (n % 1000 === 999) note(`${n + 1} calls, ${session.megabytes()?.toFixed(0)} MB`);
  }
  const end = session.megabytes();
  if (settled !== undefined && end !== undefined) {
    rows.push(
      row(`memory after ${plan.calls} calls`, `${end.toFixed(0)} MB`, {
        target: `≤ ${MOST_GROWTH} ×`,
        met: end <= settled * MOST_GROWTH,
        note: `${settled.toFixed(0)} MB after a fifth of them: ${(end / settled).toFixed(2)} ×`,
      }),
    );
  }
  return rows;
}

const CHEAP = [
  ['list_rooms', {}],
  ['status', {}],
  ['list_drawers', { limit: 5 }],
  ['wake_up', {}],
];

const target = (times) => ({
  target: `≤ ${MOST_SEARCH_MS} ms`,
  met: quantile(times, 0.5) <= MOST_SEARCH_MS,
});

/** @param {{ quick: boolean, note: (text: string) => void, keep?: string }} options `keep`: a folder where palaces stay */
export async function benchMcp({ quick, note, keep }) {
  const machine = newMachine();
  const plan = { ...(quick ? QUICK : FULL), asked: someQuestions(quick ? 16 : 64) };
  const { drawers, embedded } = plan;
  const folder = keep ?? join(machine.folder, 'palaces');
  const large = await largePalace(machine, { folder, drawers, embedded, note });
  machine.env.MEMPALACE_PALACE_PATH = large.folder;
  const rows = await startRows(machine, plan);
  const session = new McpSession(machine, ['--tools', 'all']);
  await session.open();
  rows.push(...(await callRows(session, plan, note)));
  await session.close();
  machine.remove();
  return rows.map((each) => ({ ...each, name: `mcp, ${drawers} drawers: ${each.name}` }));
}
