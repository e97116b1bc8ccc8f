import { realpathSync, statSync } from 'node:fs';
import { type ListedProject, readProjectList } from '../../../config/projects.js';
import type { Skipped } from '../../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../../core/errors.js';
import { resolveFolders } from '../../../platform/folders.js';
import { formatSeconds, plural } from '../../app/durations.js';
import { EXIT, exitCodeOf } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import type { Fed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { countsText, problemsOf, type Summary } from '../../app/summary.js';
import { line } from '../../terminal/terminal.js';
import { type DocsConfig, type DocsFlags, docsConfig } from './config.js';
import { feedDocs } from './run.js';

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
  /** What `mempalace-docs <dir> --json` prints; null if it failed. */
  result: object | null;
  error: { code: string; message: string; hint?: string } | null;
}

/**
 * `mempalace-docs --all`: every project of the list, each as a run of its own. If one fails, the others go on. Returns
 * the worst exit code.
 */
export async function runAllDocs(flags: DocsFlags, context: CommandContext): Promise<number> {
  const folders = resolveFolders(context.env, flags.palace);
  const { terminal } = context;
  const { path, exists, projects, problems } = readProjectList(folders);
  if (!exists) {
    throw new UserError('not-found', `there is no list ${path}`, {
      hint: `list your project folders in it, one per line: mempalace projects add ~/my-project`,
    });
  }
  const held: Skipped[] = problems.map(({ line: at, text: detail, reason }) => ({
    origin: `${path}:${at}`,
    reason,
    detail,
    problem: true,
  }));
  // An emptied list is not a failure every week.
  if (projects.length === 0 && held.length === 0) {
    terminal.warn(
      line(
        `${path} lists no project: mempalace projects add <dir> adds one, mempalace schedule remove ends a schedule`,
      ),
    );
  }
  // What is wrong with the flags is wrong for all of them.
  const { maxDurationMs } = docsConfig(COMMAND, folders.home, flags).filing;
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
    const msLeft = maxDurationMs && Math.max(0, maxDurationMs - (performance.now() - startedAt));
    const origin = listed.dir;
    // However short the time: something is done in every run, so that all is done in the end.
    if (msLeft === 0 && summaries.some(wasUseful)) {
      held.push({ origin, reason: 'time is up', detail: 'not begun', problem: true });
    } else if (outcomes.some(({ exit_code }) => exit_code === EXIT.locked)) {
      held.push({ origin, reason: 'not begun, another run holds the palace', problem: true });
    } else {
      const config = docsConfig(COMMAND, listed.dir, flags);
      config.filing.maxDurationMs = msLeft;
      const fed = await feedOne(config, context);
      const [result, error] = 'code' in fed ? [null, fed] : [fed.document, null];
      const exit_code = 'code' in fed ? exitCodeOf(fed.code) : fed.exitCode;
      outcomes.push({ project: config.dir, exit_code, result, error });
      if ('summary' in fed && fed.summary !== undefined) summaries.push(fed.summary);
    }
  }
  for (const { origin, reason, detail } of held) {
    terminal.warn(line(`${origin}: ${reason}${detail === undefined ? '' : `: ${detail}`}`));
  }
  const codes = outcomes.map((outcome) => outcome.exit_code);
  const exitCode = worstExitCode(held.length > 0 ? [...codes, EXIT.incomplete] : codes);
  const totals = totalsOf(summaries);
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const failed = codes.filter((code) => code !== EXIT.done).length + held.length;
  const { skipped: _skipped, left: _left, drawers_added: added, ...counts } = totals;
  const text = `${plural(outcomes.length, 'project')}: ${countsText(counts)}, ${plural(added, 'drawer')} filed${failed > 0 ? `, ${failed} with problems` : ''}, ${formatSeconds(seconds)}`;
  if (flags.dryRun !== true && flags.stageOnly !== true) {
    terminal.summary(`${COMMAND} --all: ${text}`);
    if (outcomes.length > 1) terminal.say(text);
  }
  if (terminal.options.json)
    terminal.json({
      command: COMMAND,
      list: path,
      exit_code: exitCode,
      projects: outcomes,
      ...totals,
      problems: problemsOf(held),
      seconds,
    });
  return exitCode;
}

function totalsOf(summaries: readonly Summary[]) {
  const sum = (field: 'new' | 'changed' | 'unchanged' | 'removed' | 'skipped' | 'drawers_added' | 'left') =>
    summaries.reduce((total, summary) => total + summary[field], 0);
  return {
    new: sum('new'),
    changed: sum('changed'),
    unchanged: sum('unchanged'),
    removed: sum('removed'),
    skipped: sum('skipped'),
    drawers_added: sum('drawers_added'),
    left: sum('left'),
  };
}

/** @throws what ends all of them: a bug, and the wish to stop */
async function feedOne(
  config: DocsConfig,
  context: CommandContext,
): Promise<Fed | { code: UserError['code']; message: string; hint?: string }> {
  const { terminal } = context;
  terminal.say(terminal.style('bold', line(config.dir)));
  try {
    return await feedDocs(config, context, true);
  } catch (error) {
    const known = context.signal.aborted ? undefined : knownError(error);
    if (known === undefined) throw error;
    const { code, message, hint } = known;
    terminal.error(line(`${config.dir}: ${message}${hint === undefined ? '' : ` (${hint})`}`));
    return { code, message, ...(hint === undefined ? {} : { hint }) };
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
