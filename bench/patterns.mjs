// How precise `mempalace patterns` is: draws pairs of failures that it calls the same error, from generated sessions, whose
// errors are known, and from real transcripts.
//   node bench/patterns.mjs [--sample 100] [--seed 1] [--transcripts <folder>] [--print]
// Prints the share of pairs with the same cause; with --print each pair, for reading.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CAUSES } from './support/causes.mjs';
import { createRandom } from './support/random.mjs';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    transcripts: { type: 'string', default: '../shared/fixtures/claude-code' },
    print: { type: 'boolean', default: false },
  },
});
const SESSIONS = 160;
const { next: random } = createRandom(Number(values.seed));
const pick = (list) => list[Math.floor(random() * list.length)];

/** Cause of each failure, by session and call. */
const truth = new Map();
const home = mkdtempSync(join(tmpdir(), 'mempalace-patterns-'));
try {
  const projects = join(home, '.claude', 'projects', '-home-dev-app');
  mkdirSync(projects, { recursive: true });
  for (let n = 0; n < SESSIONS; n++) writeFileSync(join(projects, `${idOf(n)}.jsonl`), session(n));
  if (existsSync(values.transcripts))
    for (const [at, folder] of foldersOf(values.transcripts).entries())
      cpSync(folder, join(home, '.claude', 'projects', `real-${at}`), { recursive: true });
  run('mempalace-session', '--from', 'claude-code');
  const { patterns } = JSON.parse(
    run('mempalace', 'patterns', '--kind', 'error', '--limit', '1000', '--json'),
  );
  report(patterns);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function report(patterns) {
  const pairs = patterns.flatMap(({ text, occurrences }) => {
    const [first, ...others] = occurrences;
    return others.map((other) => ({ text, first, other }));
  });
  for (let at = pairs.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [pairs[at], pairs[other]] = [pairs[other], pairs[at]];
  }
  const sample = pairs.slice(0, Number(values.sample));
  let [right, known] = [0, 0];
  for (const { text, first, other } of sample) {
    const causes = [first, other].map(({ source, command, file }) =>
      truth.get(`${source} ${command ?? file}`),
    );
    const verdict = causes.includes(undefined) ? 'to be read' : causes[0] === causes[1] ? 'same' : 'other';
    known += verdict === 'to be read' ? 0 : 1;
    right += verdict === 'same' ? 1 : 0;
    if (!values.print && verdict !== 'other') continue;
    console.log(
      `## ${verdict}: ${causes.join(' / ')}\n${text}\n  ${[first, other].map((each) => `${each.source}: ${each.command ?? each.file}`).join('\n  ')}\n`,
    );
  }
  const found = new Set(sample.map(({ text }) => text)).size;
  console.log(
    `${patterns.length} patterns; ${sample.length} pairs of ${found} patterns drawn, ${known} with known causes: ${right} of them the same (${Math.round((100 * right) / Math.max(1, known))} %)`,
  );
  const caused = new Map();
  for (const [call, cause] of truth)
    caused.set(cause, (caused.get(cause) ?? new Set()).add(call.split(' ')[0]));
  const recurring = [...caused].filter(([, sessions]) => sessions.size >= 2).length;
  console.log(`${recurring} of ${CAUSES.length} causes recur`);
}

function session(n) {
  const id = idOf(n);
  const cwd = pick(['/home/dev/app', '/Users/ann/app', '/tmp/checkout/app']);
  const lines = [];
  let clock = Date.parse('2026-03-01T08:00:00Z') + n * 3_600_000;
  const say = (type, content) => {
    clock += 1_000;
    const common = {
      uuid: `${id}-${lines.length}`,
      sessionId: id,
      cwd,
      version: '2.1.330',
      timestamp: new Date(clock).toISOString(),
    };
    lines.push(JSON.stringify({ ...common, type, message: { role: type, content } }));
  };
  let calls = 0;
  const call = (name, input, result, isError) => {
    const tool = `toolu_${id}_${calls++}`;
    say('assistant', [{ type: 'tool_use', id: tool, name, input }]);
    say('user', [
      { type: 'tool_result', tool_use_id: tool, content: result, ...(isError ? { is_error: true } : {}) },
    ]);
  };
  say('user', `Please go on with task ${n}.`);
  const used = new Set();
  for (let at = 0; at < 4; at++) {
    const cause = pick(CAUSES);
    if (used.has(cause)) continue;
    used.add(cause);
    const { tool, input, message } = cause.make({ pick, random, cwd });
    truth.set(`${id} ${input.command ?? input.file_path}`, cause.name);
    call(tool, input, message, true);
    if (random() < 0.6) {
      call('Edit', { file_path: `${cwd}/src/fix.ts`, old_string: 'a', new_string: 'b' }, 'ok', false);
      call(tool, input, 'ok', false);
    }
  }
  say('assistant', [{ type: 'text', text: 'Done.' }]);
  return `${lines.join('\n')}\n`;
}

function idOf(n) {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Folders below it that contain transcripts. */
function foldersOf(folder) {
  const entries = readdirSync(folder).map((name) => join(folder, name));
  if (entries.some((path) => path.endsWith('.jsonl'))) return [folder];
  return entries.filter((path) => statSync(path).isDirectory()).flatMap(foldersOf);
}

function run(program, ...args) {
  const env = { PATH: process.env.PATH, HOME: home, MEMPALACE_BROKER: 'off' };
  return execFileSync(join(import.meta.dirname, '..', 'bin', program), args, {
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
