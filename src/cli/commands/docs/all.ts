import { realpathSync, statSync } from 'node:fs';
import { type ListedProject, readProjectList } from '../../../config/projects.js';
import type { Skipped } from '../../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../../core/errors.js';
import { formatSeconds, plural } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import type { CommandContext } from '../../app/runner.js';
import { feedSeveral, sayNotRun, totalsOf, worstExitCode } from '../../app/several.js';
import { countsText, problemsOf } from '../../app/summary.js';
import type { DocsFlags } from '../../programs/docs.js';
import { feedDocs } from './run.js';

const COMMAND = 'mempalace-docs';

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
  const roots = new Set<string>();
  const parts = projects.flatMap((listed) => {
    const skip = skipOf(listed, path, roots);
    if (skip?.problem === true) notRun.push(skip);
    const feed = (maxDuration?: number) => feedDocs(listed.dir, { ...flags, maxDuration }, context, true);
    return skip === undefined ? [{ name: listed.dir, feed }] : [];
  });
  const {
    outcomes,
    summaries,
    notRun: notBegun,
    seconds,
  } = await feedSeveral(parts, flags.maxDuration, context);
  notRun.push(...notBegun);
  sayNotRun(notRun, context);
  const codes = outcomes.map((outcome) => outcome.exit_code);
  const exitCode = worstExitCode(notRun.length > 0 ? [...codes, EXIT.incomplete] : codes);
  const totals = totalsOf(summaries);
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
    projects: outcomes.map(({ name: project, ...outcome }) => ({ project, ...outcome })),
    ...totals,
    problems: problemsOf(notRun),
    seconds,
  });
  return exitCode;
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
