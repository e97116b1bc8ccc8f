import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isErrno, isSystemError, messageOf, UserError } from '../../../core/errors.js';
import { plural } from '../../../core/plural.js';
import {
  type FactsImport,
  importFacts,
  parseFactsFile,
  rowsOfOriginal,
} from '../../../knowledge/facts/index.js';
import { warnRedacted } from '../../../terminal/redactions.js';
import { jsonText, line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { writeNewFile } from '../../app/new-file.js';
import { withPalace } from '../../app/open-palace.js';
import type { ProgramContext } from '../../app/runner.js';
import { announcedSanitiser } from '../../app/sanitiser.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import type { ExportFlags, ImportFlags } from './command.js';

export async function exportAll(context: ProgramContext, { to: named }: ExportFlags): Promise<void> {
  const { terminal } = context;
  const to = named === undefined ? undefined : resolve(named);
  const { exportFacts } = await import('../../../knowledge/facts/index.js');
  const file = await withPalace(context, (palace) => exportFacts(palace, { made: new Date() }));
  if (to === undefined) {
    terminal.json(file);
    terminal.data(indented(file));
    return;
  }
  writeNewFile(to, `${indented(file)}\n`);
  context.answer({ to, facts: file.facts.length });
  terminal.say(`${plural(file.facts.length, 'fact')} written to ${line(to)}`);
}

/** Indented for readers, and safe to print on a terminal. */
function indented(value: unknown): string {
  return JSON.stringify(JSON.parse(jsonText(value)), undefined, 2);
}

export async function importFile(context: ProgramContext, flags: ImportFlags, name: string): Promise<number> {
  const { folders, command: program } = context;
  const rows = await rowsOf(resolve(name));
  const sanitiser = await announcedSanitiser(flags.redact, context);
  if (flags.dryRun !== true)
    return writingOnce(folders.palace, context, { make: true, program }, async (palace) => {
      const run = besideRun(program, palace.model, Date.now());
      const record = () => void palace.runs.add(run, { exitCode: EXIT.done, counts: {}, skipped: [] });
      return reportImport(await importFacts(palace, rows, { sanitiser, record }), false, context);
    });
  const { Palace, palaceExists } = await import('../../../store/index.js');
  const palace = palaceExists(folders.palace) ? Palace.read(folders.palace) : undefined;
  try {
    return reportImport(await importFacts(palace, rows, { sanitiser, dryRun: true }), true, context);
  } finally {
    palace?.close();
  }
}

function reportImport(
  { ended, unchanged, forgotten, problems, redacted, ...rest }: FactsImport,
  dryRun: boolean,
  { terminal, answer }: ProgramContext,
): number {
  const counts = { new: rest.new, ended, unchanged, forgotten };
  answer({ ...counts, redacted, problems });
  for (const { row, reason } of problems) terminal.warn(`fact ${row}: ${line(reason)}`);
  warnRedacted(redacted, terminal);
  const gone = forgotten > 0 ? `, ${forgotten} forgotten in this palace` : '';
  terminal.say(`${dryRun ? 'would be ' : ''}${rest.new} new, ${ended} ended, ${unchanged} unchanged${gone}`);
  return problems.length > 0 ? EXIT.incomplete : EXIT.done;
}

const SQLITE_HEADER = Buffer.from('SQLite format 3\0');

/** Rows of our export, or of MemPalace's `knowledge_graph.sqlite3`. */
async function rowsOf(file: string): Promise<readonly unknown[]> {
  try {
    const bytes = readFileSync(file);
    if (!bytes.subarray(0, SQLITE_HEADER.length).equals(SQLITE_HEADER))
      return parseFactsFile(bytes.toString('utf8')).facts;
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new UserError('not-found', `there is no file ${file}`, { cause: error });
    if (isSystemError(error))
      throw new UserError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
    throw error;
  }
  const { theirFacts } = await import('../../../feeders/mempalace/open.js');
  return rowsOfOriginal(theirFacts(file), new Date());
}
