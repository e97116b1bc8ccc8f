/**
 * How long a harness waits for `mempalace hook run`: the hooks of a session next to an idle node, with a
 * palace for wake-up, a transcript that has grown, and a background run that has started (`npm run build` first; part
 * of `npm run bench`).
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, row, timeRow } from './support/figures.mjs';
import { largePalace } from './support/large-palace.mjs';
import { newMachine, runNode, runProgram } from './support/machine.mjs';

const MOST_MS = 100;
const HOOKS = ['session-start', 'stop', 'precompact', 'session-end'];
const FULL = { drawers: 20_000, embedded: 1_000, rounds: 50 };
const QUICK = { drawers: 1_000, embedded: 100, rounds: 6 };

/** The measured figure: CPU time or elapsed time, since measuring one makes the other longer. */
const measured = ({ seconds, cpuSeconds }) => (cpuSeconds === undefined ? { seconds } : { cpuSeconds });

/** One call, as Claude Code makes it; checks the answer. */
async function call(machine, hook, transcript, usage) {
  const input = JSON.stringify({ session_id: 'talk', transcript_path: transcript, cwd: machine.folder });
  const args = ['hook', 'run', '--hook', hook, '--harness', 'claude-code'];
  const run = await runProgram(machine, 'mempalace', args, { input, usage });
  const told = JSON.parse(run.stdout || '{}').hookSpecificOutput?.additionalContext;
  if ((told !== undefined) !== (hook === 'session-start')) throw new Error(`${hook} answered ${run.stdout}`);
  return measured(run);
}

function hookRow(hook, calls, bare) {
  const of = (runs, field) => median(runs.flatMap((each) => each[field] ?? [])) * 1000;
  const ms = of(calls, 'seconds');
  const above = of(calls, 'cpuSeconds') - of(bare, 'cpuSeconds');
  return row(hook, `${ms.toFixed(0)} ms`, {
    target: `< ${MOST_MS} ms`,
    met: ms < MOST_MS,
    note: `${(ms / of(bare, 'seconds')).toFixed(1)} × node; ${above.toFixed(0)} ms of CPU above it`,
  });
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchHook({ quick, note }) {
  const machine = newMachine();
  const { drawers, embedded, rounds } = quick ? QUICK : FULL;
  const palace = await largePalace(machine, {
    folder: join(machine.folder, 'palaces'),
    drawers,
    embedded,
    note,
  });
  machine.env.MEMPALACE_PALACE_PATH = palace.folder;
  mkdirSync(join(palace.folder, 'hooks'), { mode: 0o700 });
  // While this process has the ticket, hooks start no run.
  writeFileSync(join(palace.folder, 'hooks', 'runner'), `${process.pid}\n`);
  const transcript = join(machine.folder, 'talk.jsonl');
  const [bare, calls] = [[], new Map(HOOKS.map((hook) => [hook, []]))];
  for (let round = 0; round < rounds; round += 1) {
    const usage = round % 2 === 1;
    bare.push(measured(await runNode(machine, ['-e', '0'], { usage })));
    for (const hook of HOOKS) {
      appendFileSync(transcript, `${JSON.stringify({ type: 'user', round, hook })}\n`);
      calls.get(hook).push(await call(machine, hook, transcript, usage));
    }
  }
  machine.remove();
  const seconds = bare.flatMap((each) => each.seconds ?? []);
  const rows = [timeRow('node -e 0', seconds, { unit: 'ms' })];
  for (const [hook, runs] of calls) rows.push(hookRow(hook, runs, bare));
  return rows.map((each) => ({ ...each, name: `hook, ${drawers} drawers: ${each.name}` }));
}
