import type { Batch, Skipped } from '../../../core/contract.js';
import { UserError } from '../../../core/errors.js';
import type {
  DatabaseLocation,
  FiledSession,
  SessionOptions,
  SessionSurvey,
} from '../../../feeders/session/index.js';
import { type Folders, resolveFolders } from '../../../platform/folders.js';
import type { Palace } from '../../../store/index.js';
import { plural } from '../../app/durations.js';
import { exitCodeFor, fileBatches, stageAndFile, withRun } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import { printStaged } from '../../app/staged-only.js';
import { countsOf, printSummary, problemsOf, summarise } from '../../app/summary.js';
import { startTimeLimit, timeUpProblems } from '../../app/time-limit.js';
import { isNarrowed, type SessionConfig, scopeOf } from './config.js';
import { printSessions } from './dry-run.js';

const COMMAND = 'mempalace-session';

/** `mempalace-session`. Returns the exit code. */
export async function runSession(config: SessionConfig, context: CommandContext): Promise<number> {
  const folders = resolveFolders(context.env, config.palace);
  const databases = await databasesOf(config, folders, context);
  const given = await givenSince(config);
  const { realPathOf, requireSessions } = await import('../../../feeders/session/index.js');
  // Before a run begins: an id that is mistyped is no run that failed, and makes no palace.
  if (config.sessions.length > 0) requireSessions(databases, config.sessions);
  const scope = scopeOf(
    config,
    databases.map(({ path }) => realPathOf(path)),
    context.config.privacy.rules,
  );
  if (!config.filing.redact) context.terminal.warn('secrets are kept as they are (--no-redact)');
  if (config.dryRun || config.stageOnly) {
    const { Palace } = await import('../../../store/index.js');
    const palace = Palace.readIfAny(folders.palace);
    try {
      const options = await sessionOptions(config, given, databases, scope, folders, palace, context);
      const survey = await surveyed(options, context);
      if (config.dryRun)
        return await printSessions(
          survey,
          config,
          { ...options, signal: context.signal },
          palace,
          context.terminal,
        );
      const batches = await staged(survey, options, context);
      return printStaged(COMMAND, batches, skipsOf(batches), context.terminal);
    } finally {
      palace?.close();
    }
  }
  const startedAt = performance.now();
  return withRun(
    { ...config.filing, palace: folders.palace },
    { command: COMMAND, scope, narrowed: isNarrowed(config) },
    context,
    async (open) => {
      const timeIsUp = startTimeLimit(config.filing.maxDurationMs);
      const chosen = await sessionOptions(config, given, databases, scope, folders, open.palace, context);
      const options = { ...chosen, timeIsUp };
      const survey = await surveyed(options, context);
      const filing = { ...config.filing, palace: folders.palace };
      const { staged: batches = [], mined } = await stageAndFile(
        () => staged(survey, options, context),
        (batches) => fileBatches({ open, batches, config: filing, addedBy: COMMAND, timeIsUp }, context),
        open.palace,
      );
      const skipped = skipsOf(batches);
      const summary = summarise({ command: COMMAND, skipped, mined, startedAt });
      const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
      const end = { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
      if (config.repair) {
        const { keepBackup } = await import('../../../store/index.js');
        if (config.backup) keepBackup(folders.palace, 'repair', { run: { id: open.run.id, end } });
        open.palace.repair();
      }
      printSummary(context.terminal, summary, all);
      return end;
    },
  );
}

/** @throws UserError `not-found` that names every place looked at */
export async function databasesOf(
  config: SessionConfig,
  folders: Folders,
  context: CommandContext,
): Promise<DatabaseLocation[]> {
  const { locateDatabases } = await import('../../../feeders/session/index.js');
  const { found, looked } = locateDatabases({ db: config.db, env: context.env, folders });
  if (found.length > 0) return found;
  throw new UserError('not-found', `no opencode database found; looked at ${looked.join(', ')}`, {
    hint: 'is opencode installed and was it used here? --db names a database elsewhere',
  });
}

/** What the session feeder is told; `given` is the moment of `--since`, epoch milliseconds. */
export async function sessionOptions(
  config: SessionConfig,
  given: number | undefined,
  databases: DatabaseLocation[],
  scope: string,
  folders: Folders,
  palace: Palace | undefined,
  context: CommandContext,
): Promise<SessionOptions> {
  const { createSanitiser } = await import('../../../sanitiser/index.js');
  return {
    databases,
    minMessages: config.minMessages,
    since: given ?? sinceLastRun(config, scope, palace, context),
    sawOlder: config.since?.kind === 'last-run',
    sessions: config.sessions,
    directory: config.directory,
    subagents: config.subagents,
    limit: config.limit,
    wing: config.wing,
    filed: filedSessions(palace),
    forgotten: palace?.forgetting.keys(),
    sanitiser: await createSanitiser({
      redact: config.filing.redact,
      rules: context.config.privacy.rules,
    }),
    cache: folders.cache,
    force: config.filing.force,
    command: COMMAND,
    waitMs: config.filing.waitMs,
    signal: context.signal,
  };
}

/** Read before a run begins: what is mistyped is no run that failed. */
export async function givenSince({ since }: SessionConfig): Promise<number | undefined> {
  if (since?.kind !== 'given') return undefined;
  const { parseMoment } = await import('../../../core/moment.js');
  return parseMoment('--since', since.text, new Date());
}

export function sinceLastRun(
  config: SessionConfig,
  scope: string,
  palace: Palace | undefined,
  context: CommandContext,
): number | undefined {
  if (config.since?.kind !== 'last-run') return undefined;
  const last = palace?.runs.lastComplete(COMMAND, scope);
  if (last !== undefined && last > Date.now()) {
    // What changed since would lie before that run for as long as the clock was wrong.
    context.terminal.warn('--since: the clock was set back since the last complete run, taking everything');
    return undefined;
  }
  if (last === undefined && !context.terminal.options.json) {
    context.terminal.note('--since: no complete run of these databases and options yet, taking everything');
  }
  return last;
}

function filedSessions(palace: Palace | undefined): Map<string, FiledSession> {
  const filed = new Map<string, FiledSession>();
  for (const [sourceKey, source] of palace?.sources.ofKind('conversation') ?? []) {
    if (source.sessionId === null) continue;
    const { wing, mtimeMs, sourceFile, sessionId } = source;
    filed.set(sourceKey, { sourceKey, sessionId, wing, mtimeMs, sourceFile });
  }
  return filed;
}

async function surveyed(options: SessionOptions, { terminal }: CommandContext): Promise<SessionSurvey> {
  const { surveySessions } = await import('../../../feeders/session/index.js');
  const survey = await surveySessions(options);
  const { since } = options;
  if (options.sawOlder === true && since !== undefined) {
    const unseen = survey.sessions().filter(({ changedMs, status }) => changedMs < since && status === 'new');
    if (unseen.length > 0)
      terminal.note(
        `--since: ${plural(unseen.length, 'session')} from before the last run ${unseen.length === 1 ? 'was' : 'were'} never filed, ` +
          'as when the database is another one or a restored one: taking them too',
      );
  }
  return survey;
}

async function staged(
  survey: SessionSurvey,
  options: SessionOptions,
  context: CommandContext,
): Promise<Batch[]> {
  const { stageSessions } = await import('../../../feeders/session/index.js');
  const bar = await context.terminal.progress('staging', 'bytes');
  try {
    return await stageSessions(survey, {
      ...options,
      onProgress: (done, total) => bar.update(done, total, ''),
    });
  } finally {
    bar.stop();
  }
}

/** All that was passed over, each once; sanitised, unlike the survey's own list. */
function skipsOf(batches: readonly Batch[]): Skipped[] {
  const seen = new Map<string, Skipped>();
  for (const skip of batches.flatMap((batch) => batch.skipped)) {
    const key = JSON.stringify([skip.origin, skip.reason, skip.detail]);
    if (!seen.has(key)) seen.set(key, skip);
  }
  return [...seen.values()];
}
