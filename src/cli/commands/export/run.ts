import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { UserError } from '../../../core/errors.js';
import { exportedModel, exportLines, exportTree } from '../../../maintenance/index.js';
import { moveIntoPlace } from '../../../platform/atomic-write.js';
import { formatSeconds, plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import { openPalace } from '../../app/open-palace.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { jsonText, line } from '../../terminal/terminal.js';

export interface ExportFlags extends CommonFlags {
  to?: string;
  jsonl?: boolean;
  wing?: string;
}

const COMMAND = 'mempalace export';
/** Lines are written together until they have so many characters. */
const STRETCH = 64 * 1024;

/** `mempalace export`. Returns the exit code. */
export async function runExport(context: CommandContext, flags: ExportFlags): Promise<number> {
  const { terminal, signal } = context;
  const { wing, jsonl = false } = flags;
  const to = flags.to === undefined ? undefined : resolve(flags.to);
  if (!jsonl && to === undefined)
    throw new UserError('usage', '--to <folder> is needed', {
      hint: 'or --jsonl, for one file of everything',
    });
  if (to === undefined && terminal.options.json)
    throw new UserError('usage', '--json needs --to: without it stdout is the export');
  const { palace: folder } = context.folders;
  const palace = await openPalace(folder, terminal);
  const startedAt = performance.now();
  const bar = await terminal.progress('export');
  try {
    const total = palace.archive.count(wing);
    if (wing !== undefined && total === 0) {
      throw new UserError('not-found', `the palace has no wing ${JSON.stringify(wing)}`, {
        hint: 'mempalace list wings names them',
      });
    }
    const onProgress = (done: number, all: number) => bar.update(done, all, 'sources');
    let removed: number | null = null;
    let lost = 0;
    if (jsonl) {
      if (to !== undefined) await refuseOthersFile(to);
      const onIncomplete = (missing: number) => {
        lost += missing;
      };
      const made = new Date().toISOString();
      const lines = exportLines(palace, { wing, made, onProgress, onIncomplete });
      await palace.archive.during(() => writeLines(lines, to ?? terminal.io.stdout, signal));
    } else if (to !== undefined) {
      ({ removed } = await exportTree({ palace, folder: to, wing, signal, onProgress }));
    }
    bar.stop();
    const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
    if (lost > 0) {
      terminal.warn(
        `${plural(lost, 'drawer')} without a vector not in the export: no import takes their sources`,
      );
      terminal.note('  hint: mempalace repair makes the vectors again; then export again');
    }
    const exitCode = lost > 0 ? EXIT.incomplete : EXIT.done;
    if (to === undefined) return exitCode;
    if (terminal.options.json) {
      const format = jsonl ? 'jsonl' : 'markdown';
      terminal.json({ command: COMMAND, format, to, wing: wing ?? null, sources: total, removed, seconds });
    }
    const gone = removed ? `, ${plural(removed, 'file')} of before removed` : '';
    terminal.say(`${plural(total, 'source')} written to ${line(to)}${gone}, ${formatSeconds(seconds)}`);
    return exitCode;
  } finally {
    bar.stop();
    palace.close();
  }
}

/** An export may be renewed; a file of somebody else is not overwritten. */
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
    throw new UserError('failed', `${file} exists, and is not an export`, {
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

/** Writes as fast as the reader takes it, so that little is ever held. */
async function pour(
  lines: Iterable<unknown>,
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  let held = '';
  const write = async (): Promise<void> => {
    const full = !stream.write(held);
    held = '';
    if (full) await once(stream, 'drain');
  };
  for (const each of lines) {
    signal.throwIfAborted();
    held += `${jsonText(each)}\n`;
    if (held.length >= STRETCH) await write();
  }
  await write();
}
