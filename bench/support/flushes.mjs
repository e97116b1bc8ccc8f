/** `mempalace hook flush` of a small session with the broker's model and with its own, and a client that searches meanwhile. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enqueue } from '../../dist/hooks/queue.js';
import { median } from './figures.mjs';
import { runProgram } from './machine.mjs';
import { McpSession } from './mcp-session.mjs';
import { memoryOf } from './memory-of.mjs';
import { createRandom } from './random.mjs';

/** Answers of a session, and words of each: one passage or two. */
const [ANSWERS, WORDS] = [12, 170];
const EVERY_MS = 20;

/** Differs per run: a kept palace has the sessions of earlier ones, whose texts are not embedded again. */
const RUN = Date.now() % 1e9;

/** Notes a session that is not filed yet, as a hook does. */
function note(machine, number) {
  const { between } = createRandom(RUN + number);
  const words = () => Array.from({ length: WORDS }, () => `w${between(0, 50_000)}`).join(' ');
  const sessionId = `flushed-${RUN}-${number}`;
  const turn = (role, text, at) =>
    `${JSON.stringify({
      type: role,
      uuid: `${sessionId}-${at}-${role}`,
      sessionId,
      cwd: '/code/shop',
      timestamp: '2026-03-02T10:00:00.000Z',
      message: { role, content: [{ type: 'text', text }] },
    })}\n`;
  const transcript = join(machine.folder, `${sessionId}.jsonl`);
  const turns = Array.from(
    { length: ANSWERS },
    (_, at) => turn('user', `What of ${at}?`, at) + turn('assistant', words(), at),
  );
  writeFileSync(transcript, turns.join(''));
  const offset = statSync(transcript).size;
  const entry = { harness: 'claude-code', sessionId, transcript, offset, ended: false };
  enqueue(machine.env.MEMPALACE_PALACE_PATH, entry);
}

/** Searches until `end` settles. @returns milliseconds of each */
async function searching(session, asked, end) {
  const times = [];
  let ended = false;
  void end.then(() => {
    ended = true;
  });
  while (!ended) times.push((await session.call('search', { query: asked[times.length % asked.length] })).ms);
  return times;
}

/** One flush; `pss` is its peak in megabytes. */
async function flush(machine) {
  let pss = 0;
  let timer;
  const onStart = (pid) => {
    timer = setInterval(() => {
      pss = Math.max(pss, memoryOf(pid)?.pss ?? 0);
    }, EVERY_MS);
  };
  const { seconds, stdout } = await runProgram(machine, 'mempalace', ['hook', 'flush', '--json'], {
    onStart,
  });
  clearInterval(timer);
  const { filed } = JSON.parse(stdout);
  if (filed !== 1) throw new Error(`the flush filed ${filed} sessions`);
  return { ms: seconds * 1000, pss };
}

/**
 * In pairs, under the same load: with the model of the broker, and with its own.
 *
 * @param {{ env: Record<string, string>, folder: string }} machine that uses a broker
 * @returns medians of both, and of searches meanwhile
 */
export async function flushes(machine, { rounds, asked }) {
  const session = new McpSession(machine);
  await session.open();
  await session.call('check_duplicate', { content: 'the model is loaded now' });
  const alone = { ...machine, env: { ...machine.env, MEMPALACE_BROKER: 'off' } };
  const found = { lent: [], own: [] };
  for (let round = 0; round < 2 * rounds; round += 1) {
    note(machine, round);
    // The other way round in each second pair.
    const lends = (round + (round >> 1)) % 2 === 0;
    const running = flush(lends ? machine : alone);
    const waits = await searching(session, asked, running);
    found[lends ? 'lent' : 'own'].push({
      ...(await running),
      wait: median(waits),
      longest: Math.max(...waits),
    });
  }
  const quiet = [];
  for (let n = 0; n < 10 * rounds; n += 1)
    quiet.push((await session.call('search', { query: asked[n % asked.length] })).ms);
  await session.close();
  const of = (runs, field) => median(runs.map((each) => each[field]));
  const medians = (runs) =>
    Object.fromEntries(['ms', 'pss', 'wait', 'longest'].map((field) => [field, of(runs, field)]));
  return { lent: medians(found.lent), own: medians(found.own), quiet: median(quiet) };
}
