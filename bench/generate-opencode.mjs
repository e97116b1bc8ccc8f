/**
 * Writes an opencode database for benches: the schema of a real release, realistic lengths, texts that
 * do not repeat, the same rows from the same seed on every machine.
 *
 *   node bench/generate-opencode.mjs --out FILE                          140 sessions, 62 of them qualify
 *   node bench/generate-opencode.mjs --out FILE --scale 10               ten times that
 *   node bench/generate-opencode.mjs --out FILE --one-session-mb 200     one session, 190 MB of it tool output
 *   node bench/generate-opencode.mjs --out FILE --unchanged-sessions 1000   many small qualifying sessions
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { planOneSession, planSessions, volume } from './support/opencode-plan.mjs';
import { EPOCH_MS, planProjects, sessionRows } from './support/opencode-rows.mjs';
import { LAST_MIGRATION, SCHEMA } from './support/opencode-schema.mjs';
import { createRandom } from './support/random.mjs';

/** The size of the history that the original toolkit was measured on. */
const SEED = { sessions: 140, qualifying: 62, messages: 1491, parts: 4656, chars: 1_320_000 };

const INSERTS = {
  session: `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, model,
    time_created, time_updated, path, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 'build')`,
  message: 'INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)',
  part: `INSERT INTO part (id, message_id, session_id, time_created, time_updated, data)
    VALUES (?, ?, ?, ?, ?, ?)`,
};

/** The requested counts; omitted ones follow from `sessions` in the seed's proportions. */
function targets(options) {
  if (options.unchangedSessions !== undefined) {
    const sessions = options.unchangedSessions;
    return {
      sessions,
      qualifying: sessions,
      messages: sessions * 4,
      parts: sessions * 9,
      chars: sessions * 600,
    };
  }
  const scale = options.scale ?? 1;
  const sessions = options.sessions ?? Math.round(SEED.sessions * scale);
  const share = (name) => Math.round((SEED[name] * sessions) / SEED.sessions);
  const messages = options.messages ?? share('messages');
  return {
    sessions,
    qualifying: options.qualifying ?? share('qualifying'),
    messages,
    parts: options.parts ?? Math.round((SEED.parts * messages) / SEED.messages),
    chars: options.chars ?? share('chars'),
  };
}

function makePlan(random, options) {
  const megabytes = options.oneSessionMb;
  if (megabytes === undefined) return planSessions(random, targets(options));
  const toolMegabytes = options.toolMb ?? megabytes * 0.95;
  return planOneSession(random, { parts: options.parts ?? 2000, megabytes, toolMegabytes });
}

const COUNTS = `SELECT (SELECT count(*) FROM session) sessions, (SELECT count(*) FROM message) messages,
  (SELECT count(*) FROM part) parts, (SELECT count(*) FROM (
    SELECT 1 FROM part WHERE json_extract(data, '$.type') = 'text' AND json_extract(data, '$.synthetic') IS NULL
    GROUP BY session_id HAVING count(DISTINCT message_id) >= 3)) qualifying,
  (SELECT total(length(data)) FROM part) partBytes`;

/** Reads the finished database back: a bench must not run on an unchecked size. */
function check(db, plan) {
  const counts = db.prepare(COUNTS).get();
  const messages = plan.flatMap((session) => session.messages);
  const expected = {
    sessions: plan.length,
    messages: messages.length,
    parts: messages.flatMap((message) => message.parts).length,
    qualifying: plan.filter((session) => session.kind === 'qualifying').length,
  };
  for (const [name, value] of Object.entries(expected)) {
    if (counts[name] !== value) throw new Error(`planned ${value} ${name}, but ${counts[name]} were written`);
  }
  return counts;
}

/**
 * Writes a new database in WAL mode.
 * @param options `out` (must not exist), `seed`, and either `scale`, `sessions`, `qualifying`, `messages`,
 *   `parts`, `chars` (characters of the qualifying sessions, tool calls clipped at 4 KB), or `oneSessionMb`,
 *   `parts`, `toolMb`, or `unchangedSessions`
 * @returns counts read back from the file, `chars` as planned, and the file's size in bytes
 */
export function generateOpencode(options) {
  const out = resolve(options.out);
  if (existsSync(out)) throw new Error(`${out} exists already`);
  const random = createRandom(options.seed ?? 1);
  const plan = makePlan(random, options);
  const { projects, rows } = planProjects(random);

  mkdirSync(dirname(out), { recursive: true });
  const db = new Database(out);
  try {
    db.pragma('synchronous = OFF');
    db.pragma('journal_mode = OFF');
    db.exec(SCHEMA);
    db.exec('BEGIN');
    db.prepare('INSERT INTO migration VALUES (?, ?)').run(LAST_MIGRATION, EPOCH_MS);
    const project = db.prepare(
      "INSERT INTO project (id, worktree, vcs, time_created, time_updated, sandboxes) VALUES (?, ?, ?, ?, ?, '[]')",
    );
    for (const row of rows) project.run(...row, EPOCH_MS, EPOCH_MS);
    const inserts = Object.fromEntries(Object.entries(INSERTS).map(([name, sql]) => [name, db.prepare(sql)]));
    for (const [table, values] of sessionRows(random, plan, projects)) inserts[table].run(...values);
    db.exec('COMMIT');
    const counts = check(db, plan);
    db.pragma('journal_mode = WAL');
    const chars = plan
      .filter((session) => session.kind === 'qualifying')
      .reduce((sum, session) => sum + volume(session.messages), 0);
    return { out, ...counts, chars, bytes: statSync(out).size };
  } finally {
    db.close();
  }
}

const NUMBERS = [
  'seed',
  'scale',
  'sessions',
  'qualifying',
  'messages',
  'parts',
  'chars',
  'one-session-mb',
  'tool-mb',
  'unchanged-sessions',
];

function main() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      ...Object.fromEntries(NUMBERS.map((name) => [name, { type: 'string' }])),
    },
  });
  if (values.out === undefined) throw new Error('--out FILE is needed');
  const options = { out: values.out };
  for (const name of NUMBERS) {
    if (values[name] === undefined) continue;
    const number = Number(values[name]);
    if (!(number > 0)) throw new Error(`--${name} is not a number above 0: ${values[name]}`);
    options[name.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase())] = number;
  }
  console.log(JSON.stringify(generateOpencode(options)));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main();
