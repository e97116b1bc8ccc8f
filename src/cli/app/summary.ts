import type { Skipped } from '../../core/contract.js';
import type { MineResult } from '../../miner/mining.js';
import { formatSeconds, plural } from '../../terminal/durations.js';
import { kindsText } from '../../terminal/redactions.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { EXIT } from './exit.js';
import type { RunOutcome } from './filing.js';

/** The result of a run, as `--json` prints it. All filing commands have these keys. */
export type Summary = ReturnType<typeof summarise>;

/** Examples per reason without --verbose. */
const EXAMPLES = 3;
/** Names in a list without --verbose. */
export const NAMES_SHOWN = 10;
/** The reason why feeders skip short conversations. */
const TOO_SHORT = /^fewer than \d+ messages?$/;

/** Sources that were not filed in time, and texts that were not embedded. Such a problem gives exit code 3, and `--since` does not start from the run. */
export function timeUpProblems({ left, pending }: Pick<MineResult, 'left' | 'pending'>): Skipped[] {
  if (left + pending === 0) return [];
  const parts = [
    ...(left > 0 ? [plural(left, 'source')] : []),
    ...(pending > 0 ? [`${plural(pending, 'vector')} of filed texts`] : []),
  ];
  const detail = `${parts.join(' and ')} left for the next run`;
  return [{ origin: '--max-duration', reason: 'time is up', detail, problem: true }];
}

/** @param skipped the feeder's skips */
export function summarise(
  command: string,
  skipped: readonly Skipped[],
  mined: MineResult,
  startedAt: number,
) {
  const skips = [...skipped, ...mined.problems];
  return {
    command,
    new: mined.new,
    changed: mined.changed,
    unchanged: mined.unchanged,
    moved: mined.moved,
    removed: mined.removed,
    removals: mined.removals,
    /** Sources that lost filed messages, which stay in the palace. */
    lost: mined.lost,
    skipped: skips.length,
    skipped_by_reason: countReasons(skips),
    problems: problemsOf([...skips, ...timeUpProblems(mined)]),
    redacted: mined.redacted,
    drawers_added: mined.drawersAdded,
    drawers_removed: mined.drawersRemoved,
    drawers_total: mined.drawersTotal,
    embedded: mined.embedded,
    /** New and changed sources that were not filed in time (`--max-duration`). */
    left: mined.left,
    /** Texts of the palace that were not embedded in time: they are found by words. */
    pending: mined.pending,
    seconds: Math.round((performance.now() - startedAt) / 10) / 100,
  };
}

/** The result that is recorded with the run: counts without lists and without the project. */
export function outcomeOf(summary: Summary & { wing?: string; notes?: string[] }): RunOutcome {
  const { problems, removals: _removals, wing: _wing, notes: _notes, lost, ...others } = summary;
  const counts = { ...others, lost_messages: lost.reduce((sum, { messages }) => sum + messages, 0) };
  return { exitCode: problems.length > 0 ? EXIT.incomplete : EXIT.done, counts, skipped: problems };
}

export function countReasons(skips: readonly Skipped[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of skips) counts[reason] = (counts[reason] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1)));
}

export function problemsOf(skips: readonly Skipped[]) {
  return skips
    .filter((skip) => skip.problem === true)
    .map(({ origin, reason, detail }) => ({ origin, reason, ...(detail === undefined ? {} : { detail }) }));
}

/** `1 new, 0 changed, 3 unchanged, 0 removed`, and other counts that are not zero. */
export function countsText(
  counts: Pick<Summary, 'new' | 'changed' | 'unchanged' | 'removed'> & Partial<Summary>,
): string {
  const { new: added, changed, unchanged, removed, moved = 0, skipped = 0, left = 0 } = counts;
  const parts = [`${added} new`, `${changed} changed`, `${unchanged} unchanged`, `${removed} removed`];
  if (moved > 0) parts.push(`${moved} moved`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (left > 0) parts.push(`${left} left`);
  return parts.join(', ');
}

/** Prints the summary and writes it to the log, but does not print its JSON. @param part to the log only */
export function printSummary(
  terminal: Terminal,
  summary: Summary,
  skips: readonly Skipped[],
  part = false,
): void {
  const counts = countsText(summary);
  const filed = `${plural(summary.drawers_added, 'drawer')} filed, ${summary.drawers_total} in the palace, ${formatSeconds(summary.seconds)}`;
  const whole = `${summary.command}: ${counts}; ${filed}`;
  if (part) terminal.log?.write('info', whole);
  else terminal.summary(whole);
  if (terminal.options.json) return;
  printSkips(terminal, skips);
  if (!part) sayTooShort(terminal, [summary]);
  sayNames(terminal, 'removed', summary.removals.map(line));
  printLost(terminal, summary.lost);
  terminal.say(counts);
  const redactions = kindsText(summary.redacted);
  if (redactions !== '') terminal.say(`redacted: ${redactions}`);
  terminal.say(filed);
  // They took the time of a run that filed nothing.
  if (summary.new + summary.changed === 0 && summary.embedded > 0)
    terminal.say(`${plural(summary.embedded, 'vector')} of earlier runs made`);
}

/** Warns of programs that lost a part of their own transcripts. */
function printLost(terminal: Terminal, lost: Summary['lost']): void {
  for (const { origin, messages } of lost) {
    const stays = messages === 1 ? 'it stays' : 'they stay';
    terminal.warn(`${line(origin)} has lost ${plural(messages, 'filed message')}; ${stays} in the palace`);
  }
}

/**
 * Prints the first of several names, all with --verbose.
 *
 * @param verb before each name, such as `would remove`
 */
export function sayNames(terminal: Terminal, verb: string, names: readonly string[]): void {
  const shown = terminal.options.verbose ? names : names.slice(0, NAMES_SHOWN);
  for (const name of shown) terminal.say(`${verb} ${name}`);
  if (shown.length < names.length) terminal.say(`${verb} ${names.length - shown.length} more (--verbose)`);
}

/**
 * Prints the skips by reason: one line of counts, or with examples (all skips with --verbose). Then prints every problem
 * as a warning.
 *
 * @param show paths are shown relative to `base`
 */
export function printSkips(
  terminal: Terminal,
  skips: readonly Skipped[],
  show: { examples?: boolean; base?: string } = {},
): void {
  const { verbose } = terminal.options;
  const say = (text: string) => terminal.say(terminal.style('dim', text));
  const harmless = skips.filter((skip) => skip.problem !== true);
  const reasons = Object.entries(countReasons(harmless));
  if (verbose || show.examples === true) {
    for (const [reason, count] of reasons) {
      const all = harmless
        .filter((skip) => skip.reason === reason)
        .map((skip) => describeSkip(skip, show.base));
      const more = all.length > EXAMPLES ? ', …' : '';
      say(`skipped ${count}: ${reason}`);
      for (const text of verbose ? all : [all.slice(0, EXAMPLES).join(', ') + more]) say(`  ${text}`);
    }
  } else if (reasons.length > 0) {
    say(`skipped: ${kindsText(Object.fromEntries(reasons))}`);
  }
  for (const skip of skips.filter((other) => other.problem === true)) {
    const what = line(`${skip.origin}: ${skip.reason}`);
    // The detail may quote the unreadable text, so it is not logged.
    if (skip.detail === undefined) terminal.warn(what);
    else terminal.warn(`${what}: ${line(skip.detail)}`, what);
  }
}

/** How many sessions were too short, and how to file them. */
export function sayTooShort(terminal: Terminal, runs: readonly Pick<Summary, 'skipped_by_reason'>[]): void {
  const counts = runs.flatMap(({ skipped_by_reason }) => Object.entries(skipped_by_reason));
  const short = counts.reduce((sum, [reason, count]) => sum + (TOO_SHORT.test(reason) ? count : 0), 0);
  if (short > 0)
    terminal.say(
      `${plural(short, 'session')} had fewer messages than --min-messages; --min-messages 1 includes them`,
    );
}

function describeSkip(skip: Skipped, base: string | undefined): string {
  const inside = base !== undefined && skip.origin.startsWith(`${base}/`);
  const origin = inside ? skip.origin.slice(base.length + 1) : skip.origin;
  return line(skip.detail === undefined ? origin : `${origin} (${skip.detail})`);
}
