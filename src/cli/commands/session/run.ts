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
import { feed, printed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { isNarrowed, type SessionConfig, scopeOf } from './config.js';
import { previewSessions } from './dry-run.js';

const COMMAND = 'mempalace-session';

/** `mempalace-session`. Returns the exit code. */
export async function runSession(config: SessionConfig, context: CommandContext): Promise<number> {
  const folders = resolveFolders(context.env, config.palace);
  const databases = await databasesOf(config, folders, context);
  const given = await givenSince(config);
  const { realPathOf, requireSessions, stageSessions } = await import('../../../feeders/session/index.js');
  // A mistyped id ends the command before a run is recorded or a palace is made.
  if (config.sessions.length > 0) requireSessions(databases, config.sessions);
  const scope = scopeOf(
    config,
    databases.map(({ path }) => realPathOf(path)),
    context.config.privacy.rules,
  );
  const { dryRun, stageOnly } = config;
  const fed = await feed<{ survey: SessionSurvey; options: SessionOptions }>(
    {
      unit: 'bytes',
      async survey(palace) {
        const options = await sessionOptions(config, given, databases, scope, folders, palace, context);
        return { survey: await surveyed(options, context), options };
      },
      stage: ({ survey, options }, progress) => stageSessions(survey, { ...options, ...progress }),
      preview: async ({ survey, options }) => previewSessions(survey, config, options, context.terminal),
      close: ({ survey }) => survey.close(),
    },
    {
      command: COMMAND,
      scope,
      narrowed: isNarrowed(config),
      filing: { ...config.filing, palace: folders.palace },
      instead: dryRun ? 'dry-run' : stageOnly ? 'stage-only' : undefined,
      async afterwards({ palace, run }, end) {
        if (!config.repair) return;
        const { keepBackup } = await import('../../../store/index.js');
        if (config.backup) keepBackup(folders.palace, 'repair', { run: { id: run.id, end } });
        palace.repair();
      },
    },
    context,
  );
  return printed(fed, context);
}

/** @throws UserError `not-found` with all paths that were searched */
export async function databasesOf(
  config: SessionConfig,
  folders: Folders,
  context: CommandContext,
): Promise<DatabaseLocation[]> {
  const { locateDatabases } = await import('../../../feeders/session/index.js');
  const { found, looked } = locateDatabases({ db: config.db, env: context.env, folders });
  if (found.length > 0) return found;
  throw new UserError('not-found', `no opencode database found in ${looked.join(', ')}`, {
    hint: 'use opencode once, or name its database with --db',
  });
}

/** @param given time of `--since`, epoch milliseconds */
export async function sessionOptions(
  config: SessionConfig,
  given: number | undefined,
  databases: DatabaseLocation[],
  scope: string,
  folders: Folders,
  palace: Palace | undefined,
  context: CommandContext,
): Promise<SessionOptions> {
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
    sanitiser: await sanitiserFor(config.filing.redact, context),
    cache: folders.cache,
    force: config.filing.force,
    command: COMMAND,
    waitMs: config.filing.waitMs,
    signal: context.signal,
  };
}

/** Call it before the run begins, so that a mistyped value is not recorded as a failed run. */
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
    // Sessions that changed since then may have earlier times than that run.
    context.terminal.warn('--since: the clock was set back since the last complete run, filing everything');
    return undefined;
  }
  if (last === undefined && !context.terminal.options.json) {
    context.terminal.note(
      '--since: no earlier complete run of these databases and options, filing everything',
    );
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
    const unseen = survey
      .sessions()
      .filter(({ session, status }) => session.change.changedMs < since && status === 'new');
    if (unseen.length > 0)
      terminal.note(
        `--since: ${plural(unseen.length, 'session')} from before the last run ${unseen.length === 1 ? 'was' : 'were'} never filed ` +
          '(another or a restored database?), filing them too',
      );
  }
  return survey;
}
