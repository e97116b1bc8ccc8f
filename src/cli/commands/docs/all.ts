import { realpathSync, statSync } from 'node:fs';
import { type ListedProject, readProjectList } from '../../../config/projects.js';
import type { Skipped } from '../../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../../core/errors.js';
import { formatSeconds, plural } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT, exitCodeOf } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import type { Fed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { countsText, problemsOf, type Summary } from '../../app/summary.js';
import type { DocsFlags } from '../../programs/docs.js';
import { feedDocs } from './run.js';

const COMMAND = 'mempalace-docs';

/** The worst first. Other codes are better. */
const SEVERITY: readonly number[] = [EXIT.failed, EXIT.usage, EXIT.locked, EXIT.incomplete];

export function worstExitCode(codes: readonly number[]): number {
  return SEVERITY.find((code) => codes.includes(code)) ?? EXIT.done;
}

interface ProjectOutcome {
  project: string;
  exit_code: number;
  /** The document of `mempalace-docs <dir> --json`; null after an error. */
  result: object | null;
  error: { code: string; message: string; hint: string | undefined } | null;
}

/** `mempalace-docs --all`: a separate run per project of the list, also after failures. Returns the worst exit code. */
export async function runAllDocs(flags: DocsFlags, context: CommandContext): Promise<number> {
  const { terminal, folders } = context;
  const { path, exists, projects, problems } = readProjectList(folders);
  if (!exists) {
    throw new UserError('not-found', `there is no list ${path}`, {
      hint: `list your project folders in it, one per line: mempalace projects add ~/my-project`,
    });
  }
  const notRun: Skipped[] = problems.map(({ line: at, text: detail, reason }) => ({
    origin: `${path}:${at}`,
    reason,
    detail,
    problem: true,
  }));
  // An empty list is not an error, since scheduled runs would fail every week.
  if (projects.length === 0 && notRun.length === 0) {
    terminal.warn(
      line(
        `${path} lists no project: mempalace projects add <dir> adds one, mempalace schedule remove ends a schedule`,
      ),
    );
  }
  const startedAt = performance.now();
  const outcomes: ProjectOutcome[] = [];
  const summaries: Summary[] = [];
  const roots = new Set<string>();
  for (const listed of projects) {
    const skip = skipOf(listed, path, roots);
    if (skip !== undefined) {
      if (skip.problem === true) notRun.push(skip);
      continue;
    }
    const { maxDuration } = flags;
    const msLeft = maxDuration && Math.max(0, maxDuration - (performance.now() - startedAt));
    const origin = listed.dir;
    // Each run makes some progress even without time, so that all projects are filed in the end.
    if (msLeft === 0 && summaries.some(wasUseful)) {
      notRun.push({ origin, reason: 'time is up', detail: 'not begun', problem: true });
    } else if (outcomes.some(({ exit_code }) => exit_code === EXIT.locked)) {
      notRun.push({ origin, reason: 'not begun, the palace is locked by another run', problem: true });
    } else {
      const fed = await feedOne(origin, { ...flags, maxDuration: msLeft }, context);
      const [result, error] = 'code' in fed ? [null, fed] : [fed.document, null];
      const exit_code = 'code' in fed ? exitCodeOf(fed.code) : fed.exitCode;
      outcomes.push({ project: origin, exit_code, result, error });
      if ('summary' in fed && fed.summary !== undefined) summaries.push(fed.summary);
    }
  }
  for (const { origin, reason, detail } of notRun) {
    terminal.warn(line(`${origin}: ${reason}${detail === undefined ? '' : `: ${detail}`}`));
  }
  const codes = outcomes.map((outcome) => outcome.exit_code);
  const exitCode = worstExitCode(notRun.length > 0 ? [...codes, EXIT.incomplete] : codes);
  const totals = totalsOf(summaries);
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const failed = codes.filter((code) => code !== EXIT.done).length + notRun.length;
  const { skipped: _skipped, left: _left, pending: _pending, drawers_added: added, ...counts } = totals;
  const text = `${plural(outcomes.length, 'project')}: ${countsText(counts)}, ${plural(added, 'drawer')} filed${failed > 0 ? `, ${failed} with problems` : ''}, ${formatSeconds(seconds)}`;
  if (flags.dryRun !== true && flags.stageOnly !== true) {
    terminal.summary(`${COMMAND} --all: ${text}`);
    if (outcomes.length > 1) terminal.say(text);
  }
  terminal.json({
    command: COMMAND,
    list: path,
    exit_code: exitCode,
    projects: outcomes,
    ...totals,
    problems: problemsOf(notRun),
    seconds,
  });
  return exitCode;
}

function totalsOf(summaries: readonly Summary[]) {
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

/** @throws errors that end all runs: bugs and interruptions */
async function feedOne(
  dir: string,
  flags: DocsFlags,
  context: CommandContext,
): Promise<Fed | { code: UserError['code']; message: string; hint: string | undefined }> {
  const { terminal } = context;
  terminal.say(terminal.style('bold', line(dir)));
  try {
    return await feedDocs(dir, flags, context, true);
  } catch (error) {
    const known = context.signal.aborted ? undefined : knownError(error);
    if (known === undefined) throw error;
    const { code, message, hint } = known;
    terminal.error(line(`${dir}: ${message}${hint === undefined ? '' : ` (${hint})`}`));
    return { code, message, hint };
  }
}

/** The reason to skip a listed folder: it does not exist, or the list contains it twice (not a problem). */
function skipOf(listed: ListedProject, path: string, roots: Set<string>): Skipped | undefined {
  const origin = listed.dir;
  const missing = (reason: string) => ({ origin, reason, detail: `${path}:${listed.line}`, problem: true });
  try {
    if (!statSync(listed.dir).isDirectory()) return missing('not a folder');
    const real = realpathSync(listed.dir);
    if (roots.has(real)) return { origin, reason: 'listed twice' };
    roots.add(real);
    return undefined;
  } catch (error) {
    return missing(isErrno(error, 'ENOENT') ? 'the folder does not exist' : messageOf(error));
  }
}

function wasUseful(summary: Summary): boolean {
  return summary.new + summary.changed + summary.embedded + summary.left > 0;
}
