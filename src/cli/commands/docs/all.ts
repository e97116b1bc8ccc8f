import { realpathSync, statSync } from 'node:fs';
import { type ListedProject, readProjectList } from '../../../config/projects.js';
import type { Skipped } from '../../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../../core/errors.js';
import { resolveFolders } from '../../../platform/folders.js';
import { formatSeconds, plural } from '../../app/durations.js';
import { EXIT, exitCodeOf } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import type { CommandContext } from '../../app/runner.js';
import { printSummary, problemsOf, type Summary } from '../../app/summary.js';
import { line, Terminal } from '../../terminal/terminal.js';
import { type DocsFlags, docsConfig } from './config.js';
import { runDocs } from './run.js';

const COMMAND = 'mempalace-docs';

/** The worst first; what is not named here is better than all of these. */
const SEVERITY: readonly number[] = [EXIT.failed, EXIT.usage, EXIT.locked, EXIT.incomplete];

/** The exit code of several runs: that of the worst. */
export function worstExitCode(codes: readonly number[]): number {
  return SEVERITY.find((code) => codes.includes(code)) ?? EXIT.done;
}

/** How one project of the list went. */
interface ProjectOutcome {
  project: string;
  exit_code: number;
  /** What `mempalace-docs <dir> --json` prints; null when it failed or was not begun. */
  result: unknown;
  error: { code: string; message: string; hint?: string } | null;
}

/** Documents of one project, to become part of a larger one; sentences pass, and the log gets a line each. */
class PartTerminal extends Terminal {
  document: unknown = null;

  override json(value: unknown): void {
    this.document = value;
  }

  override summary(text: string): void {
    this.log?.write('info', text);
  }
}

/**
 * `mempalace-docs --all`: every project of the list, each as a run of its own. Where one fails, the others go
 * on. Returns the worst exit code.
 */
export async function runAllDocs(flags: DocsFlags, context: CommandContext): Promise<number> {
  const folders = resolveFolders(context.env, flags.palace);
  const { terminal } = context;
  const { path, exists, projects, problems } = readProjectList(folders);
  const held: Skipped[] = problems.map(({ line: at, text, reason }) => ({
    origin: `${path}:${at}`,
    reason,
    detail: text,
    problem: true,
  }));
  if (!exists) {
    throw new UserError('not-found', `there is no list ${path}`, {
      hint: `list your project folders in it, one per line: mempalace projects add ~/my-project`,
    });
  }
  // An emptied list is not a failure every week.
  if (projects.length === 0 && held.length === 0) {
    terminal.warn(
      line(
        `${path} lists no project: mempalace projects add <dir> adds one, mempalace schedule remove ends a schedule`,
      ),
    );
  }
  // What is wrong with the flags is wrong for all of them.
  const { filing } = docsConfig(COMMAND, folders.home, flags);
  const startedAt = performance.now();
  const outcomes: ProjectOutcome[] = [];
  const summaries: Summary[] = [];
  const roots = new Set<string>();
  for (const listed of projects) {
    const problem = notBegun(listed, path, roots);
    if (problem !== undefined) {
      if (problem.problem === true) held.push(problem);
      continue;
    }
    const msLeft =
      filing.maxDurationMs === undefined
        ? undefined
        : Math.max(0, filing.maxDurationMs - (performance.now() - startedAt));
    // However short the time: something is done in every run, so that all is done in the end.
    if (msLeft === 0 && summaries.some(wasUseful)) {
      held.push({ origin: listed.dir, reason: 'time is up', detail: 'not begun', problem: true });
      continue;
    }
    if (outcomes.some(({ exit_code }) => exit_code === EXIT.locked)) {
      held.push({ origin: listed.dir, reason: 'not begun, another run holds the palace', problem: true });
      continue;
    }
    const config = docsConfig(COMMAND, listed.dir, flags);
    config.filing.maxDurationMs = msLeft;
    outcomes.push(await runOne(config, context, (summary) => summaries.push(summary)));
  }
  return printAll({ path, outcomes, summaries, held, startedAt }, flags, terminal);
}

/** What came of the whole list. */
interface AllOutcome {
  path: string;
  outcomes: readonly ProjectOutcome[];
  summaries: readonly Summary[];
  held: readonly Skipped[];
  startedAt: number;
}

/** Tells of all projects together. Returns the worst exit code. */
function printAll(
  { path, outcomes, summaries, held, startedAt }: AllOutcome,
  flags: DocsFlags,
  terminal: Terminal,
): number {
  for (const { origin, reason, detail } of held) {
    terminal.warn(line(`${origin}: ${reason}${detail === undefined ? '' : `: ${detail}`}`));
  }
  const codes = outcomes.map((outcome) => outcome.exit_code);
  const exitCode = worstExitCode(held.length > 0 ? [...codes, EXIT.incomplete] : codes);
  const sum = (field: 'new' | 'changed' | 'unchanged' | 'removed' | 'skipped' | 'drawers_added' | 'left') =>
    summaries.reduce((total, summary) => total + summary[field], 0);
  const total = {
    command: COMMAND,
    list: path,
    exit_code: exitCode,
    projects: outcomes,
    new: sum('new'),
    changed: sum('changed'),
    unchanged: sum('unchanged'),
    removed: sum('removed'),
    skipped: sum('skipped'),
    drawers_added: sum('drawers_added'),
    left: sum('left'),
    problems: problemsOf(held),
    seconds: Math.round((performance.now() - startedAt) / 10) / 100,
  };
  const failed = outcomes.filter(({ exit_code }) => exit_code !== EXIT.done).length + held.length;
  const text = `${plural(outcomes.length, 'project')}: ${total.new} new, ${total.changed} changed, ${total.unchanged} unchanged, ${total.removed} removed, ${plural(total.drawers_added, 'drawer')} filed${failed > 0 ? `, ${failed} with problems` : ''}, ${formatSeconds(total.seconds)}`;
  if (flags.dryRun !== true && flags.stageOnly !== true) {
    terminal.summary(`${COMMAND} --all: ${text}`);
    if (outcomes.length > 1) terminal.say(text);
  }
  if (terminal.options.json) terminal.json(total);
  return exitCode;
}

async function runOne(
  config: ReturnType<typeof docsConfig>,
  context: CommandContext,
  done: (summary: Summary) => void,
): Promise<ProjectOutcome> {
  const terminal = new PartTerminal(context.terminal.io, context.terminal.options, context.terminal.log);
  await terminal.prepare();
  terminal.say(terminal.style('bold', line(config.dir)));
  try {
    const exitCode = await runDocs(config, { ...context, terminal }, (summary, skips) => {
      done(summary);
      printSummary(terminal, summary, skips);
    });
    return { project: config.dir, exit_code: exitCode, result: terminal.document, error: null };
  } catch (error) {
    // A bug, and the wish to stop, end everything.
    if (context.signal.aborted) throw error;
    const known = knownError(error);
    if (known === undefined) throw error;
    const { code, message, hint } = known;
    terminal.error(line(`${config.dir}: ${message}${hint === undefined ? '' : ` (${hint})`}`));
    return {
      project: config.dir,
      exit_code: exitCodeOf(code),
      result: null,
      error: { code, message, ...(hint === undefined ? {} : { hint }) },
    };
  }
}

/** Why a listed folder is passed over: it is not there, or is listed under another name too (no problem). */
function notBegun(listed: ListedProject, path: string, roots: Set<string>): Skipped | undefined {
  const missing = (reason: string) => ({
    origin: listed.dir,
    reason,
    detail: `${path}:${listed.line}`,
    problem: true,
  });
  try {
    if (!statSync(listed.dir).isDirectory()) return missing('not a folder');
    const real = realpathSync(listed.dir);
    if (roots.has(real)) return { origin: listed.dir, reason: 'listed twice' };
    roots.add(real);
    return undefined;
  } catch (error) {
    return missing(isErrno(error, 'ENOENT') ? 'the folder does not exist' : messageOf(error));
  }
}

function wasUseful(summary: Summary): boolean {
  return summary.new + summary.changed + summary.embedded + summary.left > 0;
}
