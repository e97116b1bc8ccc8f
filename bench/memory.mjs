/** Peak memory of whole commands: many small files, many sessions staged, one huge session, one huge part. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fastGlob from 'fast-glob';
import { generateDocs } from './generate-docs.mjs';
import { generateOpencode } from './generate-opencode.mjs';
import { row } from './support/figures.mjs';
import { newMachine, runJson } from './support/machine.mjs';

const MOST_MEGABYTES = 600;
const HUGE_PART_MEGABYTES = 40;
/** Characters of a small file: most become one drawer. */
const SMALL_CHARS = 300;

const memoryRow = (name, run, note, bounded = true) =>
  row(name, `${run.peakMegabytes.toFixed(0)} MB`, {
    ...(bounded ? { target: `< ${MOST_MEGABYTES} MB`, met: run.peakMegabytes < MOST_MEGABYTES } : {}),
    note: `${run.seconds.toFixed(1)} s, ${note}`,
  });

async function manyFiles(files) {
  const machine = newMachine();
  const project = join(machine.folder, 'project');
  generateDocs({ out: project, files, chars: SMALL_CHARS });
  const run = await runJson(machine, 'mempalace-docs', [project], { usage: true });
  if (run.json.new !== files) throw new Error(`${files} files, but the run says ${run.stdout}`);
  const again = await runJson(machine, 'mempalace-docs', [project], { usage: true });
  machine.remove();
  const name = `mempalace-docs, ${files.toLocaleString('en')} small files`;
  return [
    memoryRow(name, run, `${run.json.drawers_added} drawers`),
    memoryRow('  the same again, unchanged', again, '0 drawers'),
  ];
}

/** A first run over a long history: memory depends on the record per session, and on the manifest. */
async function manySessions(sessions) {
  const machine = newMachine();
  const database = join(machine.folder, 'opencode.db');
  generateOpencode({ out: database, unchangedSessions: sessions });
  const args = ['--db', database, '--stage-only'];
  const runs = [];
  for (let run = 0; run < 2; run += 1) {
    runs.push(await runJson(machine, 'mempalace-session', args, { usage: true }));
    const { staged } = runs[run].json;
    if (staged !== sessions) throw new Error(`${sessions} sessions, but ${staged} are staged`);
  }
  machine.remove();
  const [first, again] = runs;
  const name = `mempalace-session --stage-only, ${sessions.toLocaleString('en')} sessions`;
  return [
    memoryRow(name, first, `${first.cpuSeconds.toFixed(0)} s of CPU time`),
    memoryRow('  the same again, unchanged', again, `${again.cpuSeconds.toFixed(0)} s of CPU time`),
  ];
}

async function hugeSession(megabytes) {
  const machine = newMachine();
  const database = join(machine.folder, 'opencode.db');
  const made = generateOpencode({ out: database, oneSessionMb: megabytes });
  const run = await runJson(machine, 'mempalace-session', ['--db', database], { usage: true });
  if (run.json.new !== 1) throw new Error(`one session, but the run says ${run.stdout}`);
  const again = await runJson(machine, 'mempalace-session', ['--db', database], { usage: true });
  machine.remove();
  const size = `${(made.partBytes / 1e6).toFixed(0)} MB in ${made.parts} parts`;
  return [
    memoryRow(`mempalace-session, one session of ${size}`, run, `${run.json.drawers_added} drawers`),
    memoryRow('  the same again, unchanged', again, '0 drawers'),
  ];
}

/** A part over the limit must be named by a line and never loaded; the run says so by exit code 3. */
async function hugePart() {
  const machine = newMachine();
  const database = join(machine.folder, 'opencode.db');
  generateOpencode({ out: database, unchangedSessions: 3 });
  inflateOnePart(database);
  const run = await runJson(machine, 'mempalace-session', ['--db', database], { usage: true, exitCode: 3 });
  const transcripts = fastGlob.sync('home/.cache/mempalace-session/**/*.jsonl', { cwd: machine.folder });
  const texts = transcripts.map((path) => readFileSync(join(machine.folder, path), 'utf8'));
  machine.remove();
  if (texts.length !== 3 || Math.max(...texts.map((text) => text.length)) > 1e6) {
    throw new Error('the huge part was transcribed');
  }
  return [
    memoryRow(`mempalace-session, one part of ${HUGE_PART_MEGABYTES} MB`, run, 'left out by name, exit 3'),
  ];
}

function inflateOnePart(file) {
  const db = new Database(file);
  try {
    const changed = db
      .prepare(
        `UPDATE part SET data = json_set(data, '$.state.output', ?) WHERE id =
           (SELECT id FROM part WHERE json_extract(data, '$.type') = 'tool' AND
              json_extract(data, '$.state.status') = 'completed' LIMIT 1)`,
      )
      .run('a line of output\n'.repeat((HUGE_PART_MEGABYTES * 1024 * 1024) / 17));
    if (changed.changes !== 1) throw new Error('no tool call to enlarge');
  } finally {
    db.close();
  }
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchMemory({ quick, note }) {
  const rows = [];
  for (const files of quick ? [200, 1000] : [2000, 20_000]) {
    rows.push(...(await manyFiles(files)));
    note(`${files} files done`);
  }
  rows.push(...(await manySessions(quick ? 1000 : 100_000)));
  note('many sessions done');
  rows.push(...(await hugeSession(quick ? 20 : 200)));
  note('huge session done');
  rows.push(...(await hugePart()));
  return rows;
}
