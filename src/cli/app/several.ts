import type { Skipped } from '../../core/contract.js';
import type { ErrorCode, UserError } from '../../core/errors.js';
import { line } from '../../terminal/terminal.js';
import { EXIT, exitCodeOf } from './exit.js';
import { knownError } from './failure.js';
import type { Fed } from './feed.js';
import type { CommandContext } from './runner.js';
import type { Summary } from './summary.js';

/** One of several runs of a command that files. */
export interface Part {
  /** The folder or the agent, in headings and messages. */
  name: string;
  /** @param maxDuration what is left of the time, milliseconds */
  feed(maxDuration: number | undefined): Promise<Fed>;
}

/** How a run ended, as `--json` prints it. */
interface Outcome {
  exit_code: number;
  /** The document of the command; null after an error. */
  result: object | null;
  error: { code: ErrorCode; message: string; hint: string | undefined } | null;
}

export interface Several {
  /** Of the first parts, in their order. */
  outcomes: (Outcome & { name: string })[];
  summaries: Summary[];
  /** The parts that were not begun. */
  notRun: Skipped[];
  seconds: number;
}

/** The worst first. Other codes are better. */
const SEVERITY: readonly number[] = [EXIT.failed, EXIT.usage, EXIT.locked, EXIT.incomplete];

export function worstExitCode(codes: readonly number[]): number {
  return SEVERITY.find((code) => codes.includes(code)) ?? EXIT.done;
}

/**
 * Runs a feeder for one part after the other, also after failures, until the time is up or the palace is locked.
 *
 * @param endsAll whether an error concerns every part; it is thrown
 * @throws errors that end all runs: these, bugs and interruptions
 */
export async function feedSeveral(
  parts: readonly Part[],
  maxDuration: number | undefined,
  context: CommandContext,
  endsAll: (code: ErrorCode) => boolean = () => false,
): Promise<Several> {
  const startedAt = performance.now();
  const outcomes: Several['outcomes'] = [];
  const summaries: Summary[] = [];
  const notRun: Skipped[] = [];
  for (const part of parts) {
    const { name: origin } = part;
    const msLeft = maxDuration && Math.max(0, maxDuration - (performance.now() - startedAt));
    // Each run makes some progress even without time, so that all parts are filed in the end.
    if (msLeft === 0 && summaries.some(wasUseful)) {
      notRun.push({ origin, reason: 'time is up', detail: 'not begun', problem: true });
    } else if (outcomes.some(({ exit_code }) => exit_code === EXIT.locked)) {
      notRun.push({ origin, reason: 'not begun, the palace is locked by another run', problem: true });
    } else {
      const fed = await feedOne(part, msLeft, context);
      if ('error' in fed && endsAll(fed.error.code)) throw fed.error;
      const outcome =
        'error' in fed ? failed(fed.error) : { exit_code: fed.exitCode, result: fed.document, error: null };
      outcomes.push({ name: origin, ...outcome });
      if ('summary' in fed && fed.summary !== undefined) summaries.push(fed.summary);
    }
  }
  return { outcomes, summaries, notRun, seconds: Math.round((performance.now() - startedAt) / 10) / 100 };
}

async function feedOne(
  { name, feed }: Part,
  msLeft: number | undefined,
  { terminal, signal }: CommandContext,
): Promise<Fed | { error: UserError }> {
  terminal.say(terminal.style('bold', line(name)));
  try {
    return await feed(msLeft);
  } catch (error) {
    const known = signal.aborted ? undefined : knownError(error);
    if (known === undefined) throw error;
    const { message, hint } = known;
    terminal.error(line(`${name}: ${message}${hint === undefined ? '' : ` (${hint})`}`));
    return { error: known };
  }
}

function failed({ code, message, hint }: UserError): Outcome {
  return { exit_code: exitCodeOf(code), result: null, error: { code, message, hint } };
}

/** Warns of the parts that were not begun. */
export function sayNotRun(notRun: readonly Skipped[], { terminal }: CommandContext): void {
  for (const { origin, reason, detail } of notRun)
    terminal.warn(line(`${origin}: ${reason}${detail === undefined ? '' : `: ${detail}`}`));
}

/** The sums of their counts. */
export function totalsOf(summaries: readonly Summary[]) {
  const totals = {
    new: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    skipped: 0,
    drawers_added: 0,
    left: 0,
    pending: 0,
  };
  const fields = Object.keys(totals) as (keyof typeof totals)[];
  for (const summary of summaries) for (const field of fields) totals[field] += summary[field];
  return totals;
}

function wasUseful(summary: Summary): boolean {
  return summary.new + summary.changed + summary.embedded + summary.left > 0;
}
