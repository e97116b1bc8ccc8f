import { closeSync, existsSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno, isSystemError, messageOf, UserError } from '../../../core/errors.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import {
  addFact,
  checkFact,
  type DirectedFact,
  exportFacts,
  type FactsImport,
  factTimeline,
  graphStats,
  holdsAt,
  importFacts,
  invalidateFact,
  parseFactsFile,
  queryFacts,
  rowsOfOriginal,
  secondText,
  supersedeFact,
} from '../../../knowledge/facts/index.js';
import { resolveFolders } from '../../../platform/folders.js';
import { factJson } from '../../../presentation/facts.js';
import type { Fact, Palace } from '../../../store/index.js';
import { plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import { openPalace } from '../../app/open-palace.js';
import { besideRun } from '../../app/run-versions.js';
import type { CommandContext } from '../../app/runner.js';
import { writingOnce } from '../../app/single-write.js';
import { type Column, renderTable } from '../../terminal/table.js';
import { jsonText, line, type Terminal } from '../../terminal/terminal.js';
import type { KgFlags } from './actions.js';
import { type KgConfig, kgConfig } from './config.js';

const COMMAND = 'mempalace kg';

type Reads = Extract<KgConfig, { what: 'query' | 'timeline' | 'stats' | 'export' }>;
type Writes = Exclude<KgConfig, Reads | { what: 'forget' }>;

/** `mempalace kg`. Returns the exit code. */
export async function runKg(
  name: string,
  words: readonly string[],
  flags: KgFlags,
  context: CommandContext,
): Promise<number> {
  const config = kgConfig(name, words, flags);
  const { palace: folder } = resolveFolders(context.env, flags.palace);
  switch (config.what) {
    case 'query':
    case 'timeline':
    case 'stats':
    case 'export': {
      const palace = await openPalace(folder, context.terminal);
      try {
        return read(config, palace, context.terminal);
      } finally {
        palace.close();
      }
    }
    case 'forget': {
      const { runKgForget } = await import('./forget.js');
      return runKgForget(config, folder, context);
    }
    default: {
      // Before a palace is made for it.
      if (config.what === 'add') checkFact(config.input);
      const rows = config.what === 'import' ? await rowsOf(config.file) : [];
      if (config.what === 'import' && config.dryRun) return tryImport(rows, folder, flags, context);
      const make = config.what === 'add' || config.what === 'import';
      return writingOnce(folder, context, { make }, (palace) => write(config, rows, palace, flags, context));
    }
  }
}

function read(config: Reads, palace: Palace, terminal: Terminal): number {
  const now = new Date();
  switch (config.what) {
    case 'query':
      return query(config, palace, now, terminal);
    case 'timeline': {
      const { entity, facts, total } = factTimeline(palace, config.entity, config);
      const { offset } = config;
      if (terminal.options.json)
        terminal.json({ notice: NOTICE, entity, facts: factsJson(facts, now), offset, total });
      else printFacts(facts, now, terminal);
      const before = total - facts.length - offset;
      if (before > 0) terminal.note(`${before} before these: --offset ${offset + facts.length} shows more`);
      if (facts.length === 0) terminal.note(total === 0 ? 'no facts' : `no facts from ${offset + 1} on`);
      return EXIT.done;
    }
    case 'stats':
      return stats(palace, now, terminal);
    case 'export':
      return exportTo(config.to, palace, now, terminal);
  }
}

function query(
  config: Extract<KgConfig, { what: 'query' }>,
  palace: Palace,
  now: Date,
  terminal: Terminal,
): number {
  const { entity, known, asOf, facts, total } = queryFacts(palace, config);
  if (terminal.options.json) {
    terminal.json({
      notice: NOTICE,
      entity,
      known,
      as_of: asOf,
      facts: facts.map((fact) => ({ direction: fact.direction, ...factJson(fact, now) })),
      count: facts.length,
      total,
    });
  } else printFacts(facts, now, terminal);
  if (facts.length < total) terminal.note(`the newest ${facts.length} of ${total}: --limit shows more`);
  if (!known) terminal.note(`the palace has no facts about "${line(entity)}"`);
  else if (total === 0) terminal.note(`no such fact about "${line(entity)}"`);
  return total === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
}

function stats(palace: Palace, now: Date, terminal: Terminal): number {
  const { entities, triples, current, notCurrent, predicates, conflicts } = graphStats(palace, now);
  if (terminal.options.json) {
    terminal.json({
      notice: NOTICE,
      entities,
      triples,
      current_facts: current,
      expired_facts: notCurrent,
      relationship_types: predicates,
      conflicts,
    });
    return EXIT.done;
  }
  terminal.data(`${plural(triples, 'fact')} about ${plural(entities, 'thing')}, ${current} current`);
  for (const { predicate, facts } of predicates) terminal.data(`  ${facts}  ${BAR}${line(predicate)}`);
  for (const { subject, predicate, objects } of conflicts)
    terminal.data(`conflict  ${BAR}${line(`${subject} ${predicate}`)}  ${objects.map(line).join(' | ')}`);
  return EXIT.done;
}

function exportTo(to: string | undefined, palace: Palace, now: Date, terminal: Terminal): number {
  const file = exportFacts(palace, { made: now });
  if (to === undefined) {
    if (terminal.options.json) terminal.json(file);
    else terminal.data(indented(file));
    return EXIT.done;
  }
  if (!existsSync(dirname(to))) throw new UserError('failed', `there is no folder ${dirname(to)}`);
  try {
    writeFileSync(to, `${indented(file)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new UserError('failed', `${to} is there already`, { hint: 'name another file' });
  }
  if (terminal.options.json) terminal.json({ command: COMMAND, to, facts: file.facts.length });
  terminal.say(`${plural(file.facts.length, 'fact')} written to ${line(to)}`);
  return EXIT.done;
}

/** For people, who look into such a file; safe in a terminal all the same. */
function indented(value: unknown): string {
  return JSON.stringify(JSON.parse(jsonText(value)), undefined, 2);
}

async function write(
  config: Writes,
  rows: readonly unknown[],
  palace: Palace,
  flags: KgFlags,
  { terminal, config: settings }: CommandContext,
): Promise<number> {
  const now = new Date();
  const record = () => {
    const end = { exitCode: EXIT.done, counts: {}, skipped: [] };
    palace.runs.add(besideRun(COMMAND, palace.model, now.getTime()), end);
  };
  if (config.what === 'invalidate') return invalidate(config, palace, { now, record }, terminal);
  const sanitiser = await sanitiserFor(flags, settings, terminal);
  if (config.what === 'import') {
    return tellImport(await importFacts(palace, rows, { sanitiser, record }), false, terminal);
  }
  const telling = { sanitiser, addedBy: COMMAND, now, record };
  if (config.what === 'add') {
    const { fact, added, conflicts, redacted } = await addFact(palace, config.input, telling);
    if (terminal.options.json) {
      const told = { fact: factJson(fact, now), conflicts: factsJson(conflicts, now) };
      terminal.json({ command: COMMAND, notice: NOTICE, added, ...told, redacted });
    }
    terminal.say(`${added ? 'added' : 'there already'}: ${sentenceOf(fact)}`);
    afterTelling(conflicts, redacted, terminal);
    return EXIT.done;
  }
  const { fact, added, conflicts, redacted, ended, at } = await supersedeFact(
    palace,
    config.input,
    config.former,
    telling,
  );
  if (terminal.options.json) {
    const told = { fact: factJson(fact, now), conflicts: factsJson(conflicts, now) };
    const before = { at, ended: factsJson(ended, now) };
    terminal.json({ command: COMMAND, notice: NOTICE, ...before, added, ...told, redacted });
  }
  for (const former of ended) terminal.say(`ended: ${sentenceOf(former)}`);
  terminal.say(`${added ? 'added' : 'there already'}: ${sentenceOf(fact)}`);
  afterTelling(conflicts, redacted, terminal);
  return EXIT.done;
}

function invalidate(
  config: Extract<KgConfig, { what: 'invalidate' }>,
  palace: Palace,
  { now, record }: { now: Date; record: () => void },
  terminal: Terminal,
): number {
  const { ended, at, open } = invalidateFact(palace, config.words, { at: config.at, now, record });
  if (terminal.options.json)
    terminal.json({
      command: COMMAND,
      notice: NOTICE,
      at,
      ended: factsJson(ended, now),
      open: factsJson(open, now),
    });
  for (const fact of ended) terminal.say(`ended: ${sentenceOf(fact)}`);
  if (ended.length > 0) return EXIT.done;
  terminal.note('no such fact is open');
  for (const fact of open) terminal.note(`open: ${sentenceOf(fact)}`);
  return EXIT.nothingFound;
}

function afterTelling(
  conflicts: readonly Fact[],
  redacted: Record<string, number>,
  terminal: Terminal,
): void {
  for (const fact of conflicts) terminal.note(`conflicts with: ${sentenceOf(fact)}`);
  if (conflicts.length > 0)
    terminal.note(
      '  hint: mempalace kg supersede replaces one fact with the other; as it stands, both are kept',
    );
  sayRedacted(redacted, terminal);
}

function sayRedacted(redacted: Record<string, number>, terminal: Terminal): void {
  const kinds = Object.entries(redacted).map(([kind, count]) => `${count} ${kind}`);
  if (kinds.length > 0) terminal.warn(`redacted: ${kinds.join(', ')}`);
}

async function sanitiserFor(flags: KgFlags, settings: CommandContext['config'], terminal: Terminal) {
  const { createSanitiser } = await import('../../../sanitiser/index.js');
  if (!flags.redact) terminal.warn('secrets are kept as they are (--no-redact)');
  return createSanitiser({ redact: flags.redact, rules: settings.privacy.rules });
}

async function tryImport(
  rows: readonly unknown[],
  folder: string,
  flags: KgFlags,
  { terminal, config: settings }: CommandContext,
): Promise<number> {
  const { Palace, palaceExists } = await import('../../../store/index.js');
  const sanitiser = await sanitiserFor(flags, settings, terminal);
  const palace = palaceExists(folder) ? Palace.read(folder) : undefined;
  try {
    return tellImport(await importFacts(palace, rows, { sanitiser, dryRun: true }), true, terminal);
  } finally {
    palace?.close();
  }
}

function tellImport(
  { ended, unchanged, forgotten, problems, redacted, ...rest }: FactsImport,
  dryRun: boolean,
  terminal: Terminal,
): number {
  const counts = { new: rest.new, ended, unchanged, forgotten };
  if (terminal.options.json)
    terminal.json({ command: COMMAND, ...(dryRun ? { dry_run: true } : {}), ...counts, redacted, problems });
  for (const { row, reason } of problems) terminal.warn(`fact ${row}: ${line(reason)}`);
  sayRedacted(redacted, terminal);
  const gone = forgotten > 0 ? `, ${forgotten} forgotten here` : '';
  terminal.say(`${dryRun ? 'would be ' : ''}${rest.new} new, ${ended} ended, ${unchanged} unchanged${gone}`);
  return problems.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** Of an export of ours, or of MemPalace's own `knowledge_graph.sqlite3`. */
async function rowsOf(file: string): Promise<readonly unknown[]> {
  try {
    if (!isSqlite(file)) return parseFactsFile(readFileSync(file, 'utf8')).facts;
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

function isSqlite(file: string): boolean {
  const beginning = Buffer.alloc(SQLITE_HEADER.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, beginning);
  } finally {
    closeSync(descriptor);
  }
  return beginning.equals(SQLITE_HEADER);
}

const SQLITE_HEADER = Buffer.from('SQLite format 3\0');

function isCurrent(fact: Fact, now: Date): boolean {
  return holdsAt(fact, secondText(now));
}

export function factsJson(facts: readonly Fact[], now: Date): Record<string, unknown>[] {
  return facts.map((fact) => factJson(fact, now));
}

/** `│ shop default_branch main (2026-03-01 – 2026-05-01)` */
export function sentenceOf(fact: Fact): string {
  const when = timeOf(fact);
  return BAR + line(`${fact.subject} ${fact.predicate} ${fact.object}`) + (when === '' ? '' : ` (${when})`);
}

function timeOf({ validFrom, validTo }: Fact): string {
  if (validFrom === null && validTo === null) return '';
  if (validTo === null) return `since ${validFrom}`;
  return validFrom === null ? `until ${validTo}` : `${validFrom} – ${validTo}`;
}

const COLUMNS: Column[] = [{ style: 'cyan', share: 0.3 }, {}, { share: 0.3 }, {}, { style: 'dim' }];

function printFacts(facts: readonly (Fact | DirectedFact)[], now: Date, terminal: Terminal): void {
  if (facts.length === 0) return;
  terminal.note(`facts (${NOTICE})`);
  const rows = facts.map((fact) => {
    const sure = fact.confidence < 1 ? `${Math.round(fact.confidence * 100)} %` : '';
    const marks = [isCurrent(fact, now) ? '' : 'not current', sure].filter((mark) => mark !== '');
    const words = [fact.subject, fact.predicate, fact.object].map(line);
    return [BAR + words[0], ...words.slice(1), timeOf(fact), marks.join(', ')];
  });
  const { width, style } = terminal;
  for (const row of renderTable(rows, COLUMNS, { width, paint: style })) terminal.data(row);
}
