import type { Batch, Skipped } from '../../core/contract.js';
import { type TimeIsUp, TimeUp, timeLimit } from '../../core/time-up.js';
import type { AskedCheckpoint } from '../../miner/asked-checkpoint.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Palace } from '../../store/index.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { isNamed, notThere } from './broker.js';
import { current } from './call.js';
import { type Expected, estimate, estimateLines } from './estimate.js';
import {
  type Destination,
  exitCodeFor,
  fileHere,
  type OpenRun,
  type RunIdentity,
  type RunOutcome,
} from './filing.js';
import type { Known } from './known.js';
import type { FilingFlags } from './options.js';
import type { CommandContext } from './runner.js';
import { sanitiserFor } from './sanitiser.js';
import {
  countReasons,
  countsText,
  outcomeOf,
  printSkips,
  printSummary,
  problemsOf,
  type Summary,
  sayNames,
  sayTooShort,
  summarise,
  timeUpProblems,
} from './summary.js';

/** A source of text with the options of the user. */
export interface Feeder<S> {
  /** @param palace undefined if there is none yet */
  survey(palace: Known | undefined, staging: Staging): Promise<S>;
  /** @throws TimeUp if `timeIsUp` returns true before everything is staged */
  stage(
    survey: S,
    options: Staging & { onProgress: (done: number, total: number) => void },
  ): Promise<Batch[]>;
  /** For --dry-run: changes neither the cache nor the palace. */
  preview(survey: S, palace: Palace | undefined, staging: Staging): Promise<Preview>;
  /** Unit of `onProgress`. */
  unit: 'bytes' | 'sources' | 'transcripts';
  /** Fields of the JSON document that only this feeder has. */
  facts?(survey: S): Record<string, unknown>;
  /** Prints notes before the result. */
  report?(survey: S): void;
  close?(survey: S): void;
}

/** What every feeder stages with. */
export interface Staging {
  sanitiser: Sanitiser;
  cache: string;
  force: boolean;
  command: string;
  waitMs: number;
  signal: AbortSignal;
  timeIsUp?: TimeIsUp | undefined;
}

export interface Preview {
  /** Fields of the JSON document that only this command has. */
  facts: Record<string, unknown>;
  /** Of each source: `new`, `unchanged`, or another word for a changed one. */
  statuses: readonly string[];
  removed: number;
  moved?: number;
  skipped: readonly Skipped[];
  /** The sources, one line each. */
  lines: readonly string[];
  /** Staged paths of what would be removed. */
  removals?: readonly string[];
  /** New and changed sources. Without them, no estimate is shown. */
  expected?: readonly Expected[];
  /** Option of `printSkips`. */
  show?: { examples?: boolean; base?: string };
}

/** Options of commands that file from sources. */
interface FeedFlags extends FilingFlags {
  dryRun?: boolean;
  stageOnly?: boolean;
  /** Files at most this many sources. */
  limit?: number | undefined;
  allowRemovals?: boolean;
}

export interface Feed extends RunIdentity {
  flags: FeedFlags;
  /** For sources that are not sanitised yet. */
  sanitiser?: Sanitiser;
  /** By the key of the session. */
  checkpoints?: ReadonlyMap<string, AskedCheckpoint> | undefined;
  /** Called when everything is filed. */
  afterwards?: (open: OpenRun, end: RunOutcome) => void | Promise<void>;
  /** One of several runs: its summary goes to the log only. */
  part?: boolean;
}

export interface Fed {
  exitCode: number;
  /** What `--json` prints. */
  document: object;
  /** Absent if nothing was to be filed. */
  summary?: Summary;
}

/** Surveys, stages and files, and prints a summary; or prints what would be done, or only stages. */
export async function feed<S>(feeder: Feeder<S>, run: Feed, context: CommandContext): Promise<Fed> {
  const { dryRun, stageOnly, redact, force = false, wait: waitMs } = run.flags;
  const { terminal, folders, signal } = context;
  if (!redact) terminal.warn('secrets are not redacted (--no-redact)');
  const sanitiser = await sanitiserFor(redact, context);
  const staging = { sanitiser, cache: folders.cache, force, command: run.command, waitMs, signal };
  const feeding = new Feeding(feeder, run, context, staging);
  const fed = await (dryRun === true || stageOnly === true ? feeding.show() : feeding.file());
  if (run.part !== true) terminal.json(fed.document);
  return fed;
}

class Feeding<S> {
  constructor(
    private readonly feeder: Feeder<S>,
    private readonly run: Feed,
    private readonly context: CommandContext,
    private readonly staging: Staging,
  ) {}

  /** Only stages, or shows what would be filed. */
  async show(): Promise<Fed> {
    const { feeder, staging, context } = this;
    const { command, flags } = this.run;
    const { Palace } = await import('../../store/index.js');
    const there = isNamed(context.config);
    if (there && flags.stageOnly !== true)
      throw notThere(context.config, `${current?.path ?? command} --dry-run`);
    const palace = there ? undefined : Palace.readIfAny(context.folders.palace);
    try {
      const survey = await feeder.survey(palace, staging);
      try {
        if (flags.stageOnly === true)
          return sayStaged(command, await this.#stage(survey, staging), context.terminal);
        const preview = await feeder.preview(survey, palace, staging);
        feeder.report?.(survey);
        return await sayPreview(preview, command, palace, context);
      } finally {
        feeder.close?.(survey);
      }
    } finally {
      palace?.close();
    }
  }

  async file(): Promise<Fed> {
    const { feeder, run, context } = this;
    const { command, scope, narrowed, flags } = run;
    const startedAt = performance.now();
    let summary: Summary | undefined;
    const into = isNamed(context.config) ? (await import('./file-there.js')).fileThere : fileHere;
    const identity = { command, scope, narrowed, waitMs: flags.wait };
    const exitCode = await into(identity, context, async (destination) => {
      const timed = { ...this.staging, timeIsUp: timeLimit(flags.maxDuration) };
      const survey = await feeder.survey(destination.known, timed);
      const { batches, mined } = await this.#mine(survey, timed, destination);
      const skipped = batches.flatMap((batch) => batch.skipped);
      summary = { ...summarise(command, skipped, mined, startedAt), ...feeder.facts?.(survey) };
      const all = [...skipped, ...mined.problems, ...timeUpProblems(mined)];
      const end = outcomeOf(summary);
      if (destination.open !== undefined) await run.afterwards?.(destination.open, end);
      feeder.report?.(survey);
      printSummary(context.terminal, summary, all, run.part);
      return end;
    });
    return { exitCode, document: summary ?? {}, ...(summary === undefined ? {} : { summary }) };
  }

  /** If the time is up before everything is staged, what is staged is filed. */
  async #mine(survey: S, staging: Staging, destination: Destination) {
    const { command, sanitiser, flags, checkpoints } = this.run;
    const { agent = command, force = false, limit, allowRemovals = false, maxDuration: maxMs } = flags;
    let left = 0;
    const batches = await this.#stage(survey, staging).catch((error: unknown): Batch[] => {
      if (!(error instanceof TimeUp)) throw error;
      left = error.left;
      return [...error.batches];
    });
    const filing = { limit, allowRemovals, timeIsUp: staging.timeIsUp, maxMs, checkpoints };
    const mined = await destination.file({ batches, addedBy: agent, force, sanitiser, ...filing });
    return { batches, mined: { ...mined, left: mined.left + left } };
  }

  async #stage(survey: S, staging: Staging): Promise<Batch[]> {
    const { unit } = this.feeder;
    const [note, bytes] = unit === 'bytes' ? ['', unit] : [unit, undefined];
    return this.context.terminal.during(
      'staging',
      ({ update }) => {
        const onProgress = (done: number, total: number) => update(done, total, note);
        return this.feeder.stage(survey, { ...staging, onProgress });
      },
      bytes,
    );
  }
}

function sayStaged(command: string, batches: readonly Batch[], terminal: Terminal): Fed {
  const skips = batches.flatMap((batch) => batch.skipped);
  const files = batches.flatMap((batch) => batch.sources).map((source) => source.sourceFile);
  if (!terminal.options.json) printSkips(terminal, skips);
  sayTooShort(terminal, [skipCounts(skips)]);
  terminal.say(`${files.length} staged, nothing filed; \`mempalace mine <staging folder>\` files them`);
  const document = { command, staged: files.length, files, ...skipCounts(skips) };
  return { exitCode: exitCodeFor(skips), document };
}

async function sayPreview(
  preview: Preview,
  command: string,
  palace: Palace | undefined,
  { terminal, signal }: CommandContext,
): Promise<Fed> {
  const { facts, skipped, removals = [], expected } = preview;
  const counts = countsOfPreview(preview);
  const estimated = expected === undefined ? undefined : await estimate(expected, palace, signal);
  if (!terminal.options.json) {
    for (const text of preview.lines) terminal.say(text);
    sayNames(terminal, 'would remove', removals.map(line));
    printSkips(terminal, skipped, preview.show);
    sayTooShort(terminal, [skipCounts(skipped)]);
    terminal.say(`would file: ${countsText({ ...counts, skipped: skipped.length })}`);
    if (estimated !== undefined) for (const text of estimateLines(estimated)) terminal.say(text);
  }
  const { drawers, seconds, largest } = estimated ?? {};
  const estimates = { drawers_estimated: drawers, seconds_estimated: seconds, largest };
  const document = {
    command,
    dry_run: true,
    ...facts,
    ...counts,
    ...skipCounts(skipped),
    drawers_added: 0,
    drawers_total: palace?.drawerCount() ?? 0,
    ...(estimated === undefined ? {} : estimates),
  };
  return { exitCode: exitCodeFor(skipped), document };
}

function countsOfPreview({ statuses, removed, moved }: Preview) {
  const count = (status: string) => statuses.filter((each) => each === status).length;
  const [added, unchanged] = [count('new'), count('unchanged')];
  const changed = statuses.length - added - unchanged;
  return { new: added, changed, unchanged, ...(moved === undefined ? {} : { moved }), removed };
}

function skipCounts(skips: readonly Skipped[]) {
  return { skipped: skips.length, skipped_by_reason: countReasons(skips), problems: problemsOf(skips) };
}
