/**
 * What `mempalace hook run --hook session-start` costs after a compaction and at a resume, next to a usual start:
 * CPU time of whole processes in turns, with a transcript of megabytes and a palace for wake-up (`npm run build` first;
 * part of `npm run bench`). `--against <checkout>` compares with a built checkout that tells no state, too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, row } from './support/figures.mjs';
import { largePalace } from './support/large-palace.mjs';
import { newMachine, ROOT, runNode } from './support/machine.mjs';
import { createRandom } from './support/random.mjs';
import { growTranscript } from './support/transcript.mjs';

const MOST_MS = 50;
const FULL = { drawers: 20_000, embedded: 1_000, rounds: 41, requests: 400 };
const QUICK = { drawers: 1_000, embedded: 100, rounds: 5, requests: 60 };

/** A palace of this checkout, on which hooks start no run. */
async function palaceOf(machine, checkout, { drawers, embedded, note }) {
  const folder = join(machine.folder, checkout === ROOT ? 'palaces' : 'palaces-before');
  const palace = await largePalace(machine, { folder, drawers, embedded, note, checkout });
  mkdirSync(join(palace.folder, 'hooks'), { mode: 0o700 });
  // While this process has the ticket, hooks start no run.
  writeFileSync(join(palace.folder, 'hooks', 'runner'), `${process.pid}\n`);
  return palace.folder;
}

/** One start of a session; returns milliseconds of CPU. */
async function start(machine, { checkout, palace }, { session, transcript, source }) {
  const input = { session_id: session, transcript_path: transcript, cwd: machine.folder, source };
  const args = ['hook', 'run', '--hook', 'session-start', '--harness', 'claude-code', '--palace', palace];
  const run = await runNode(machine, [join(checkout, 'bin', 'mempalace'), ...args], {
    input: JSON.stringify(input),
    usage: true,
  });
  const told = JSON.parse(run.stdout).hookSpecificOutput?.additionalContext ?? '';
  const isState = told.includes('## session resume context');
  if (told === '' || (checkout === ROOT && isState !== (source !== 'startup')))
    throw new Error(`${source} was told ${told}`);
  return run.cpuSeconds * 1000;
}

/** @param {{ quick: boolean, against?: string, note: (text: string) => void }} options */
export async function benchResume({ quick, against, note }) {
  const machine = newMachine();
  const { rounds, requests, ...size } = quick ? QUICK : FULL;
  const checkouts = [];
  for (const checkout of [ROOT, ...(against === undefined ? [] : [against])])
    checkouts.push({ checkout, palace: await palaceOf(machine, checkout, { ...size, note }) });
  const [own, other] = checkouts;
  const random = createRandom(1);
  const session = 'talk';
  const transcript = join(machine.folder, 'talk.jsonl');
  growTranscript(transcript, random, session, requests);
  const costs = { startup: [], compact: [], resume: [], before: [] };
  const add = async (name, of, source) => {
    // A session is told the same state once.
    growTranscript(transcript, random, session, 1);
    costs[name].push(await start(machine, of, { session, transcript, source }));
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const source of ['startup', 'compact', 'resume']) await add(source, own, source);
    if (other !== undefined) await add('before', other, 'compact');
  }
  machine.remove();
  const bases = { startup: 'startup', ...(other === undefined ? {} : { before: 'the other checkout' }) };
  const rows = [row('hook session-start, startup', `${median(costs.startup).toFixed(0)} ms of CPU`)];
  for (const source of ['compact', 'resume'])
    for (const [base, name] of Object.entries(bases))
      rows.push(differenceRow(source, name, costs[source], costs[base]));
  return rows;
}

function differenceRow(source, name, costs, base) {
  const more = median(costs) - median(base);
  return row(`hook session-start, ${source}: above ${name}`, `${more.toFixed(0)} ms of CPU`, {
    target: `< ${MOST_MS} ms`,
    met: more < MOST_MS,
    note: `medians of ${costs.length}: ${median(costs).toFixed(0)} and ${median(base).toFixed(0)} ms`,
  });
}
