import { snakeNamed } from '../../../core/case.js';
import type { Skipped } from '../../../core/contract.js';
import { disagrees, type Finding, STATUSES, type Status } from '../../../maintenance/verify/finding.js';
import { formatSeconds, plural, secondsSince } from '../../../terminal/durations.js';
import { type Column, renderTable } from '../../../terminal/table.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import type { ProgramContext } from '../../app/runner.js';
import { printSkips, problemsOf } from '../../app/summary.js';

type Counts = Record<Status, number>;

/** Counts findings by wing, and keeps those with a difference. */
export class Tally {
  /** All except ok and forgotten. */
  findings: Finding[] = [];
  /** Sources with messages that only the palace still has. */
  readonly gone: Finding[] = [];
  /** Places that could not be read. */
  readonly unread: Skipped[] = [];
  readonly #wing: string | undefined;
  readonly #seen = new Set<string>();
  readonly #wings = new Map<string, Record<Finding['kind'], Counts>>();
  /** Parts in the originals of filed sessions. */
  parts = 0;

  /** @param wing findings of other wings are ignored */
  constructor(wing?: string) {
    this.#wing = wing;
  }

  /** Only the first finding per source counts. */
  add(finding: Finding): void {
    if (this.#seen.has(finding.sourceKey)) return;
    this.#seen.add(finding.sourceKey);
    if (this.#wing !== undefined && finding.wing !== this.#wing) return;
    this.#count(finding, 1);
    if (finding.gone !== undefined) this.gone.push(finding);
    if (finding.status !== 'missing') this.parts += finding.parts ?? 0;
    if (finding.status !== 'ok' && finding.status !== 'forgotten') this.findings.push(finding);
  }

  /** Removes settled findings. */
  settle(keys: ReadonlySet<string>): void {
    for (const finding of this.findings) if (keys.has(finding.sourceKey)) this.#count(finding, -1);
    this.findings = this.findings.filter(({ sourceKey }) => !keys.has(sourceKey));
  }

  get missingParts(): number {
    return this.findings.reduce((sum, { missingParts = [] }) => sum + missingParts.length, 0);
  }

  /** The counts of all wings. */
  get counts() {
    const all = [...this.#wings.values()];
    return {
      sessions: sumOf(all.map(({ session }) => session)),
      documents: sumOf(all.map(({ document }) => document)),
    };
  }

  /** By name; what is not filed and in no wing is under the empty one. */
  wings(): { wing: string; counts: Counts }[] {
    return [...this.#wings]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([wing, { session, document }]) => ({ wing, counts: sumOf([session, document]) }));
  }

  #count({ wing, kind, status }: Finding, by: number): void {
    const counts = this.#wings.get(wing) ?? { session: sumOf([]), document: sumOf([]) };
    counts[kind][status] += by;
    this.#wings.set(wing, counts);
  }
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = { ok: 0, missing: 0, stale: 0, orphaned: 0, held_back: 0, forgotten: 0, not_checked: 0 };
  for (const counts of all) for (const status of STATUSES) sum[status] += counts[status];
  return sum;
}

export interface Removed {
  sources: number;
  drawers: number;
  staged: number;
}

/** Findings of one kind that are listed without --verbose. */
const SHOWN = 5;
const PARTS_SHOWN = 5;

/**
 * Prints a table of wings and the findings below it, or one JSON document.
 *
 * @param removed undefined without --apply
 */
export function printVerified(
  tally: Tally,
  removed: Removed | undefined,
  { dryRun, startedAt }: { dryRun: boolean; startedAt: number },
  { terminal, answer }: ProgramContext,
): void {
  const { unread } = tally;
  const seconds = secondsSince(startedAt);
  answer({
    ...tally.counts,
    wings: tally.wings().map(({ wing, counts }) => ({ wing: wing === '' ? null : wing, ...counts })),
    parts: tally.parts,
    missing_parts: tally.missingParts,
    findings: tally.findings.map(findingJson),
    gone: tally.gone.map(goneJson),
    problems: problemsOf(unread),
    removed: removed ?? null,
    seconds,
  });
  if (terminal.options.json) return;
  printTable(tally, terminal);
  for (const status of STATUSES) printFindings(status, tally, terminal);
  printGone(tally, terminal);
  printSkips(terminal, unread);
  const parts = tally.missingParts > 0 ? `${tally.missingParts} are not filed` : 'all are filed';
  if (tally.parts > 0) terminal.say(`${plural(tally.parts, 'part')} of filed sessions: ${parts}`);
  if (removed !== undefined && dryRun) terminal.say(`would remove ${plural(removed.sources, 'source')}`);
  else if (removed !== undefined)
    terminal.say(
      `removed ${plural(removed.sources, 'source')} with ${plural(removed.drawers, 'drawer')} and ${plural(removed.staged, 'staged file')}`,
    );
  const agree = !tally.findings.some(disagrees) && unread.length === 0;
  terminal.say(
    `${agree ? 'the palace and its sources agree' : 'the palace and its sources differ'} (${formatSeconds(seconds)})`,
  );
}

function printTable(tally: Tally, terminal: Terminal): void {
  const shown = STATUSES.filter((status) => tally.wings().some(({ counts }) => counts[status] > 0));
  const rows = tally
    .wings()
    .map(({ wing, counts }) => [
      wing === '' ? '(no wing)' : line(wing),
      ...shown.map((status) => (counts[status] > 0 ? `${counts[status]} ${words(status)}` : '')),
    ]);
  const columns: Column[] = [{ style: 'cyan', share: 0.4 }, ...shown.map((): Column => ({ align: 'right' }))];
  for (const row of renderTable(rows, columns, { width: terminal.width, paint: terminal.style }))
    terminal.data(row);
}

function printFindings(status: Status, tally: Tally, terminal: Terminal): void {
  const { verbose } = terminal.options;
  const all = tally.findings.filter((finding) => finding.status === status);
  const shown = verbose ? all : all.slice(0, SHOWN);
  for (const { detail, missingParts = [], ...finding } of shown) {
    terminal.say(`${words(status)}: ${nameOf(finding)}${detail === undefined ? '' : `: ${line(detail)}`}`);
    const parts = verbose ? missingParts : missingParts.slice(0, PARTS_SHOWN);
    for (const { message, part, kind } of parts)
      terminal.say(`  not filed: ${kind} ${line(part ?? 'at the end')} of message ${line(message)}`);
    if (parts.length < missingParts.length)
      terminal.say(`  … ${missingParts.length - parts.length} more (--verbose)`);
  }
  if (shown.length < all.length)
    terminal.say(`${words(status)}: ${all.length - shown.length} more (--verbose)`);
}

function printGone({ gone: all }: Tally, terminal: Terminal): void {
  const shown = terminal.options.verbose ? all : all.slice(0, SHOWN);
  for (const { gone = 0, ...finding } of shown)
    terminal.say(`kept: ${nameOf(finding)}: ${plural(gone, 'message')} no longer in the source`);
  if (shown.length < all.length) terminal.say(`kept: ${all.length - shown.length} more (--verbose)`);
}

function nameOf({ title, origin }: Pick<Finding, 'title' | 'origin'>): string {
  return title === null ? line(origin) : `${line(title)} (${line(origin)})`;
}

function goneJson({ sourceKey, origin, wing, title, gone: messages }: Finding) {
  return snakeNamed({ sourceKey, origin, wing, title, messages });
}

function words(status: Status): string {
  return status.replace('_', ' ');
}

function findingJson(finding: Finding) {
  const {
    harmless: _,
    gone: _gone,
    wing,
    detail = null,
    parts = null,
    missingParts = [],
    ...source
  } = finding;
  return snakeNamed({ ...source, wing: wing === '' ? null : wing, detail, parts, missingParts });
}
