/**
 * What `mempalace hook run --hook session-start` costs after a compaction and at a resume, next to an idle node and a usual
 * start: CPU time of whole processes in turns, with transcripts of megabytes and a palace for wake-up (`npm run build`
 * first; part of `npm run bench`). `--against <checkout>` compares with another built checkout, too.
 */
import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, row } from './support/figures.mjs';
import { largePalace } from './support/large-palace.mjs';
import { newMachine, ROOT, runNode } from './support/machine.mjs';
import { createRandom } from './support/random.mjs';
import { growTranscript } from './support/transcript.mjs';

const MOST_MS = 50;
const FULL = { drawers: 20_000, embedded: 1_000, rounds: 41, requests: 400 };
const QUICK = { drawers: 1_000, embedded: 100, rounds: 5, requests: 400 };
/**
 * Of the requests before the last one, the share that precedes an earlier compaction. 2 MB are read: a third of the
 * transcript.
 */
const CASES = {
  'compact, the one before it 1 MB away': { source: 'compact', before: 5 / 6 },
  'compact, the one before it 6 MB away': { source: 'compact', before: 1 / 20 },
  'resume, a compaction 1 MB away': { source: 'resume', before: 5 / 6 },
  'resume, a compaction 6 MB away': { source: 'resume', before: 1 / 20 },
};

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

/** A transcript with a compaction before its end; returns its path and its size. */
function transcriptOf(machine, random, { name, session, requests, before }) {
  const path = join(machine.folder, name);
  const first = Math.round(requests * before);
  growTranscript(path, random, session, first, { compacted: true });
  growTranscript(path, random, session, requests - first);
  return { path, size: statSync(path).size };
}

/** @param {{ quick: boolean, against?: string, note: (text: string) => void }} options */
export async function benchResume({ quick, against, note }) {
  const machine = newMachine();
  const { rounds, requests, ...size } = quick ? QUICK : FULL;
  const [own, other] = await Promise.all(
    [ROOT, ...(against === undefined ? [] : [against])].map(async (checkout) => {
      return { checkout, palace: await palaceOf(machine, checkout, { ...size, note }) };
    }),
  );
  const random = createRandom(1);
  const session = 'talk';
  const cases = Object.entries(CASES).map(([name, { source, before }], number) => {
    const transcript = transcriptOf(machine, random, { name: `${number}.jsonl`, session, requests, before });
    return { name, source, transcript, costs: [], others: [] };
  });
  const [bare, usual] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push((await runNode(machine, ['-e', '0'], { usage: true })).cpuSeconds * 1000);
    const [{ transcript: any }] = cases;
    usual.push(await start(machine, own, { session, transcript: any.path, source: 'startup' }));
    for (const { source, transcript, costs, others } of cases) {
      // A session is told the same state once, so that each start has a last request of its own.
      truncateSync(transcript.path, transcript.size);
      growTranscript(transcript.path, random, session, 1, { compacted: source === 'compact' });
      costs.push(await start(machine, own, { session, transcript: transcript.path, source }));
      if (other !== undefined)
        others.push(await start(machine, other, { session, transcript: transcript.path, source }));
    }
  }
  machine.remove();
  const base = { bare: median(bare), usual: median(usual) };
  return [
    row('node -e 0', `${base.bare.toFixed(0)} ms of CPU`),
    row('hook session-start, startup', `${base.usual.toFixed(0)} ms of CPU`, {
      note: `${(base.usual / base.bare).toFixed(1)} × node`,
    }),
    ...cases.flatMap((each) => rowsOf(each, base)),
  ];
}

function rowsOf({ name, costs, others }, { bare, usual }) {
  const more = median(costs) - usual;
  const ratios = (cost) => `${(cost / bare).toFixed(1)} × node, ${(cost / usual).toFixed(1)} × a usual start`;
  const label = `hook session-start, ${name}`;
  return [
    row(`${label}: above startup`, `${more.toFixed(0)} ms of CPU`, {
      target: `< ${MOST_MS} ms`,
      met: more < MOST_MS,
      note: `${ratios(median(costs))}; above it ${(more / bare).toFixed(1)} × node`,
    }),
    ...(others.length === 0
      ? []
      : [
          row(`${label}: the other checkout`, `${median(others).toFixed(0)} ms of CPU`, {
            note: ratios(median(others)),
          }),
        ]),
  ];
}
