import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { UserError } from '../../core/errors.js';
import { exportedModel } from '../../maintenance/transfer/archive-lines.js';
import { exportLines } from '../../maintenance/transfer/export-lines.js';
import { exportTree } from '../../maintenance/transfer/export-tree.js';
import { requireWing } from '../../operations/known-names.js';
import { moveIntoPlace } from '../../platform/atomic-write.js';
import { formatSeconds, plural, secondsSince } from '../../terminal/durations.js';
import { jsonText, line } from '../../terminal/terminal.js';
import { EXIT } from '../app/exit.js';
import { withPalace } from '../app/open-palace.js';
import { createCommand, type FlagsOf } from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';

const HELP = `
As Markdown each source becomes <wing>/<room>/<name>.md with YAML front matter,
for other programs to read and search. Another export into the same folder
updates its own files and keeps all others. --jsonl writes everything, including
vectors, priorities and the list of forgotten sources; mempalace import reads it
on another machine. It replaces an earlier export, and no other file.

Examples:
  mempalace export --to ~/notes/palace          Markdown files
  mempalace export --jsonl --to palace.jsonl    everything in one file
  mempalace export --jsonl | gzip > palace.gz   the same through a pipe`;

export const command = createCommand('export', 'Export the palace as Markdown or JSON lines')
  .option('--to <path>', 'the folder (Markdown), or the file (--jsonl; default: stdout)')
  .option('--jsonl', 'everything, one JSON object per line')
  .option('--wing <name>', 'only this wing')
  .addHelpText('after', HELP);
command.action(action(runExport, { here: true }));

/** Characters per write. */
const STRETCH = 64 * 1024;

async function runExport(
  context: ProgramContext,
  { wing, jsonl = false, to: named }: FlagsOf<typeof command>,
): Promise<number> {
  const { terminal, signal } = context;
  const to = named === undefined ? undefined : resolve(named);
  if (!jsonl && to === undefined)
    throw new UserError('usage', '--to <folder> is needed', {
      hint: 'or use --jsonl, which writes everything to one file',
    });
  if (to === undefined && terminal.options.json)
    throw new UserError('usage', '--json needs --to: without it stdout is the export');
  return withPalace(context, async (palace) => {
    const startedAt = performance.now();
    requireWing(wing, palace.rooms());
    const total = palace.archive.count(wing);
    const removed = await terminal.during('export', async ({ update }) => {
      const onProgress = (done: number, all: number) => update(done, all, 'sources');
      if (!jsonl && to !== undefined)
        return (await exportTree({ palace, folder: to, wing, signal, onProgress })).removed;
      if (to !== undefined) await refuseOthersFile(to);
      const made = new Date().toISOString();
      const lines = exportLines(palace, { wing, made, onProgress });
      await palace.archive.during(() => writeLines(lines, to ?? terminal.io.stdout, signal));
      return null;
    });
    if (to === undefined) return EXIT.done;
    const seconds = secondsSince(startedAt);
    const format = jsonl ? 'jsonl' : 'markdown';
    context.answer({ format, to, wing: wing ?? null, sources: total, removed, seconds });
    const gone = removed ? `, ${plural(removed, 'old file')} removed` : '';
    terminal.say(`${plural(total, 'source')} written to ${line(to)}${gone}, ${formatSeconds(seconds)}`);
    return EXIT.done;
  });
}

/** Overwrites an older export only. */
async function refuseOthersFile(file: string): Promise<void> {
  if (!existsSync(dirname(file))) throw new UserError('failed', `there is no folder ${dirname(file)}`);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const ours =
    stat.isFile() &&
    (await exportedModel(file).then(
      () => true,
      () => false,
    ));
  if (!ours)
    throw new UserError('failed', `${file} exists and is not an export`, {
      hint: 'name another file',
    });
}

async function writeLines(
  lines: Iterable<unknown>,
  to: string | NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  if (typeof to !== 'string') return pour(lines, to, signal);
  const temporary = join(dirname(to), `.${basename(to)}.mempalace-tmp-${process.pid}`);
  rmSync(temporary, { force: true });
  const stream = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
  try {
    await pour(lines, stream, signal);
    stream.end();
    await finished(stream);
    moveIntoPlace(temporary, to);
  } finally {
    stream.destroy();
    rmSync(temporary, { force: true });
  }
}

/** Waits for a slow reader, so that memory use stays small. */
async function pour(
  lines: Iterable<unknown>,
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  let buffer = '';
  const write = async (): Promise<void> => {
    const full = !stream.write(buffer);
    buffer = '';
    if (full) await once(stream, 'drain');
  };
  for (const each of lines) {
    signal.throwIfAborted();
    buffer += `${jsonText(each)}\n`;
    if (buffer.length >= STRETCH) await write();
  }
  await write();
}
