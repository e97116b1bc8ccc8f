import { resolve } from 'node:path';
import { dayOrText } from '../../../core/moment.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import { holdsAt, secondText } from '../../../knowledge/facts/instant.js';
import { factStatsDocument, factsDocument, factTimelineDocument } from '../../../presentation/facts.js';
import type { Fact } from '../../../service/contract/index.js';
import type { Direction } from '../../../store/index.js';
import { plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import { writeNewFile } from '../../app/new-file.js';
import { withPalace } from '../../app/open-palace.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type Column, renderTable } from '../../terminal/table.js';
import { jsonText, line, type Terminal } from '../../terminal/terminal.js';

/** The name of all kg commands in `--json` and in the records of runs. */
export const COMMAND = 'mempalace kg';

/** The moment of a flag; converts a day in words. */
export function momentOf(text: string | undefined): string | undefined {
  return dayOrText(text, new Date());
}

interface QueryFlags extends CommonFlags {
  asOf?: string;
  direction?: Direction;
  predicate?: string;
  limit: number;
}

/** `mempalace kg query`. */
export function query(context: CommandContext, flags: QueryFlags, name: string): Promise<number> {
  const { terminal } = context;
  const { direction = 'both', predicate, limit } = flags;
  const now = new Date();
  const question = { entity: name, asOf: momentOf(flags.asOf), direction, predicate, limit };
  return withService(context, async (service, call) => {
    const found = await service.facts(question, call);
    terminal.json(factsDocument(found, now));
    const { entity, known, facts, total } = found;
    printFacts(facts, now, terminal);
    if (facts.length < total) terminal.note(`the newest ${facts.length} of ${total}: --limit shows more`);
    if (!known) terminal.note(`the palace has no facts about "${line(entity)}"`);
    else if (total === 0) terminal.note(`no such fact about "${line(entity)}"`);
    return total === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  });
}

interface TimelineFlags extends CommonFlags {
  asOf?: string;
  limit: number;
  offset: number;
}

/** `mempalace kg timeline`. */
export function timeline(
  context: CommandContext,
  { asOf, limit, offset }: TimelineFlags,
  name: string | undefined,
): Promise<void> {
  const { terminal } = context;
  const now = new Date();
  return withService(context, async (service, call) => {
    const found = await service.factTimeline({ entity: name, asOf: momentOf(asOf), limit, offset }, call);
    terminal.json(factTimelineDocument(found, { now, offset }));
    const { facts, total } = found;
    printFacts(facts, now, terminal);
    const before = total - facts.length - offset;
    if (before > 0) terminal.note(`${before} older: --offset ${offset + facts.length} shows more`);
    if (facts.length === 0) terminal.note(total === 0 ? 'no facts' : `no facts at offset ${offset}`);
  });
}

/** `mempalace kg stats`. */
export async function stats(context: CommandContext): Promise<void> {
  const { terminal } = context;
  const stats = await withService(context, (service, call) => service.factStats({}, call));
  terminal.json(factStatsDocument(stats));
  const { entities, triples, current, predicates, conflicts } = stats;
  terminal.data(`${plural(triples, 'fact')} about ${plural(entities, 'thing')}, ${current} current`);
  for (const { predicate, facts } of predicates) terminal.data(`  ${facts}  ${BAR}${line(predicate)}`);
  for (const { subject, predicate, objects } of conflicts)
    terminal.data(`conflict  ${BAR}${line(`${subject} ${predicate}`)}  ${objects.map(line).join(' | ')}`);
}

/** `mempalace kg export`. */
export async function exportAll(
  context: CommandContext,
  flags: CommonFlags & { to?: string },
): Promise<void> {
  const { terminal } = context;
  const to = flags.to === undefined ? undefined : resolve(flags.to);
  const { exportFacts } = await import('../../../knowledge/facts/index.js');
  const file = await withPalace(context, (palace) => exportFacts(palace, { made: new Date() }));
  if (to === undefined) {
    terminal.json(file);
    terminal.data(indented(file));
    return;
  }
  writeNewFile(to, `${indented(file)}\n`);
  terminal.json({ command: COMMAND, to, facts: file.facts.length });
  terminal.say(`${plural(file.facts.length, 'fact')} written to ${line(to)}`);
}

/** Indented for readers, and safe to print on a terminal. */
function indented(value: unknown): string {
  return JSON.stringify(JSON.parse(jsonText(value)), undefined, 2);
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

function printFacts(facts: readonly Fact[], now: Date, terminal: Terminal): void {
  if (facts.length === 0 || terminal.options.json) return;
  terminal.note(`facts (${NOTICE})`);
  const rows = facts.map((fact) => {
    const sure = fact.confidence < 1 ? `${Math.round(fact.confidence * 100)} %` : '';
    const marks = [holdsAt(fact, secondText(now)) ? '' : 'not current', sure].filter((mark) => mark !== '');
    const words = [fact.subject, fact.predicate, fact.object].map(line);
    return [BAR + words[0], ...words.slice(1), timeOf(fact), marks.join(', ')];
  });
  const { width, style } = terminal;
  for (const row of renderTable(rows, COLUMNS, { width, paint: style })) terminal.data(row);
}
