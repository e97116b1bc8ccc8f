/**
 * How long a harness waits for `mempalace hook run`: the hooks of a session beside node that does nothing, with a
 * palace to tell of, a transcript that has grown, and a background run on its way already (`npm run build` first; part
 * of `npm run bench`).
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, row, timeRow } from './support/figures.mjs';
import { largePalace } from './support/large-palace.mjs';
import { newMachine, runNode, runProgram } from './support/machine.mjs';

const MOST_MS = 100;
const HOOKS = ['session-start', 'stop', 'precompact', 'session-end'];
const FULL = { drawers: 20_000, embedded: 1_000, rounds: 25 };
const QUICK = { drawers: 1_000, embedded: 100, rounds: 3 };

/** One call, as Claude Code makes it; checks what it was answered. */
async function call(machine, hook, transcript) {
  const input = JSON.stringify({ session_id: 'talk', transcript_path: transcript, cwd: machine.folder });
  const args = ['hook', 'run', '--hook', hook, '--harness', 'claude-code'];
  const { seconds, cpuSeconds, stdout } = await runProgram(machine, 'mempalace', args, {
    input,
    usage: true,
  });
  const told = JSON.parse(stdout).hookSpecificOutput?.additionalContext;
  if ((told !== undefined) !== (hook === 'session-start')) throw new Error(`${hook} answered ${stdout}`);
  return { seconds, cpuSeconds };
}

function hookRow(hook, calls, bare) {
  const of = (measured, field) => median(measured.map((each) => each[field])) * 1000;
  const ms = of(calls, 'seconds');
  const above = of(calls, 'cpuSeconds') - of(bare, 'cpuSeconds');
  const target = hook === 'session-start' ? { target: `< ${MOST_MS} ms`, met: ms < MOST_MS } : {};
  return row(hook, `${ms.toFixed(0)} ms`, {
    ...target,
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
  // Whoever holds the ticket keeps hooks from starting a run.
  writeFileSync(join(palace.folder, 'hooks', 'runner'), `${process.pid}\n`);
  const transcript = join(machine.folder, 'talk.jsonl');
  const [bare, calls] = [[], new Map(HOOKS.map((hook) => [hook, []]))];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await runNode(machine, ['-e', '0'], { usage: true }));
    for (const hook of HOOKS) {
      appendFileSync(transcript, `${JSON.stringify({ type: 'user', round, hook })}\n`);
      calls.get(hook).push(await call(machine, hook, transcript));
    }
  }
  machine.remove();
  const seconds = bare.map((each) => each.seconds);
  const rows = [timeRow('node -e 0', seconds, { unit: 'ms' })];
  for (const [hook, measured] of calls) rows.push(hookRow(hook, measured, bare));
  return rows.map((each) => ({ ...each, name: `hook, ${drawers} drawers: ${each.name}` }));
}
