import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isErrno, isSystemError, messageOf, UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import {
  checkFact,
  type FactsImport,
  importFacts,
  parseFactsFile,
  rowsOfOriginal,
} from '../../../knowledge/facts/index.js';
import { factJson, factsJson } from '../../../presentation/facts.js';
import type { Output } from '../../../service/contract/index.js';
import { EXIT } from '../../app/exit.js';
import { withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { announcedSanitiser, announceUnredacted } from '../../app/sanitiser.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import { warnRedacted } from '../../app/summary.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { COMMAND, momentOf, sentenceOf } from './read.js';

interface OriginFlags extends CommonFlags {
  confidence?: number;
  drawer?: string;
  source?: string;
  redact: boolean;
}

function originOf({ confidence, drawer, source }: OriginFlags) {
  return { confidence, sourceDrawerId: drawer, sourceFile: source };
}

type FactArguments = [subject: string, predicate: string, object: string];

interface AddFlags extends OriginFlags {
  from?: string;
  until?: string;
}

/** `mempalace kg add`. */
export function add(
  context: CommandContext,
  flags: AddFlags,
  ...[subject, predicate, object]: FactArguments
): Promise<void> {
  const { terminal } = context;
  const validity = { validFrom: momentOf(flags.from), validTo: momentOf(flags.until) };
  const input = { subject, predicate, object, ...originOf(flags), ...validity };
  // Checked before a palace is created.
  checkFact(input);
  announceUnredacted(flags.redact, context);
  return withWriter(context, { command: COMMAND, make: true }, async (service, call) => {
    const result = await service.addFact({ ...input, redact: flags.redact }, call);
    terminal.json({ command: COMMAND, notice: NOTICE, ...addedJson(result) });
    sayAdded(result, terminal);
  });
}

/** `mempalace kg supersede`. */
export function supersede(
  context: CommandContext,
  flags: OriginFlags & { at?: string },
  subject: string,
  predicate: string,
  third: string,
  fourth: string | undefined,
): Promise<void> {
  const { terminal } = context;
  const [former, object] = fourth === undefined ? [undefined, third] : [third, fourth];
  const input = { subject, predicate, object, former, ...originOf(flags), at: momentOf(flags.at) };
  announceUnredacted(flags.redact, context);
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const result = await service.replaceFact({ ...input, redact: flags.redact }, call);
    const before = { at: result.at, ended: factsJson(result.ended, new Date()) };
    terminal.json({ command: COMMAND, notice: NOTICE, ...before, ...addedJson(result) });
    for (const ended of result.ended) terminal.say(`ended: ${sentenceOf(ended)}`);
    sayAdded(result, terminal);
  });
}

/** `mempalace kg invalidate`. */
export function invalidate(
  context: CommandContext,
  flags: CommonFlags & { at?: string },
  ...[subject, predicate, object]: FactArguments
): Promise<number | undefined> {
  const { terminal } = context;
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const fact = { subject, predicate, object, at: momentOf(flags.at) };
    const { ended, at, open } = await service.endFact(fact, call);
    const now = new Date();
    const facts = { ended: factsJson(ended, now), open: factsJson(open, now) };
    terminal.json({ command: COMMAND, notice: NOTICE, at, ...facts });
    for (const fact of ended) terminal.say(`ended: ${sentenceOf(fact)}`);
    if (ended.length > 0) return;
    terminal.note('no such fact is open');
    for (const fact of open) terminal.note(`open: ${sentenceOf(fact)}`);
    return EXIT.nothingFound;
  });
}

type Added = Output<'addFact'>;

function addedJson({ fact, added, conflicts, redacted }: Added) {
  const now = new Date();
  return { added, fact: factJson(fact, now), conflicts: factsJson(conflicts, now), redacted };
}

function sayAdded({ fact, added, conflicts, redacted }: Added, terminal: Terminal): void {
  terminal.say(`${added ? 'added' : 'exists already'}: ${sentenceOf(fact)}`);
  for (const other of conflicts) terminal.note(`conflicts with: ${sentenceOf(other)}`);
  if (conflicts.length > 0)
    terminal.note(
      '  hint: both facts are kept; `mempalace kg resolve` ends the wrong one (mempalace conflicts)',
    );
  warnRedacted(redacted, terminal);
}

interface ImportFlags extends CommonFlags {
  dryRun?: boolean;
  redact: boolean;
}

/** `mempalace kg import`. */
export async function importFile(context: CommandContext, flags: ImportFlags, name: string): Promise<number> {
  const { terminal, folders } = context;
  const rows = await rowsOf(resolve(name));
  const sanitiser = await announcedSanitiser(flags.redact, context);
  if (flags.dryRun !== true)
    return writingOnce(folders.palace, context, { make: true, program: 'mempalace kg' }, async (palace) => {
      const run = besideRun(COMMAND, palace.model, Date.now());
      const record = () => void palace.runs.add(run, { exitCode: EXIT.done, counts: {}, skipped: [] });
      return reportImport(await importFacts(palace, rows, { sanitiser, record }), false, terminal);
    });
  const { Palace, palaceExists } = await import('../../../store/index.js');
  const palace = palaceExists(folders.palace) ? Palace.read(folders.palace) : undefined;
  try {
    return reportImport(await importFacts(palace, rows, { sanitiser, dryRun: true }), true, terminal);
  } finally {
    palace?.close();
  }
}

function reportImport(
  { ended, unchanged, forgotten, problems, redacted, ...rest }: FactsImport,
  dryRun: boolean,
  terminal: Terminal,
): number {
  const counts = { new: rest.new, ended, unchanged, forgotten };
  terminal.json({ command: COMMAND, ...(dryRun ? { dry_run: true } : {}), ...counts, redacted, problems });
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
  const { theirFacts } = await import('../../../feeders/mempalace/index.js');
  return rowsOfOriginal(theirFacts(file), new Date());
}
