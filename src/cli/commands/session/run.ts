import type { PrivacyRule } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import { requireSessions } from '../../../feeders/session/choose.js';
import { type DatabaseLocation, locateDatabases, realPathOf } from '../../../feeders/session/locate.js';
import type { SessionOptions } from '../../../feeders/session/options.js';
import { stageSessions } from '../../../feeders/session/stage.js';
import { type SessionSurvey, surveySessions } from '../../../feeders/session/survey.js';
import { keepBackup } from '../../../store/index.js';
import { plural } from '../../../terminal/durations.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { isNamed, notThere } from '../../app/broker.js';
import { current } from '../../app/call.js';
import { type Fed, type Feed, feed, type Staging } from '../../app/feed.js';
import type { Known } from '../../app/known.js';
import type { CommandContext } from '../../app/runner.js';
import type { SessionFlags } from '../../programs/session.js';
import { previewSessions } from './dry-run.js';

const COMMAND = 'mempalace-session';

/** Files sessions of opencode. @throws UserError as `databasesOf` does, or `not-found` for an unknown session */
export async function feedSessions(
  flags: SessionFlags,
  context: CommandContext,
  run: Pick<Feed, 'checkpoints' | 'part'> = {},
): Promise<Fed> {
  if (flags.repair === true && isNamed(context.config))
    throw notThere(context.config, `${current?.path ?? COMMAND} --repair`);
  const databases = databasesOf(flags, context);
  // A mistyped id ends the command before a run is recorded or a palace is made.
  if (flags.session !== undefined) requireSessions(databases, flags.session);
  const paths = databases.map(({ path }) => realPathOf(path));
  const scope = scopeOf(flags, paths, context.config.privacy.rules);
  return feed<{ survey: SessionSurvey; options: SessionOptions }>(
    {
      unit: 'bytes',
      async survey(palace, staging) {
        const options = sessionOptions(flags, databases, scope, palace, staging, context);
        return { survey: await surveyed(options, context), options };
      },
      stage: ({ survey, options }, progress) => stageSessions(survey, { ...options, ...progress }),
      preview: async ({ survey, options }) => previewSessions(survey, options, context.terminal),
      close: ({ survey }) => survey.close(),
    },
    {
      command: COMMAND,
      scope,
      narrowed: isNarrowed(flags),
      // The survey applies the limit, before it stages.
      flags: { ...flags, limit: undefined },
      ...run,
      async afterwards({ palace, run: { id } }, end) {
        if (flags.repair !== true) return;
        if (flags.backup) keepBackup(context.folders.palace, 'repair', { run: { id, end } });
        palace.repair();
      },
    },
    context,
  );
}

/** Whether a run covers only a part of the sessions. `--since` without a value never starts from such a run. */
export function isNarrowed({ session, directory, limit, since }: SessionFlags): boolean {
  return session !== undefined || directory !== undefined || limit !== undefined || typeof since === 'number';
}

/** The databases and the options that affect the result. Runs with the same scope are comparable. */
export function scopeOf(
  { minMessages, subagents, wing, redact }: SessionFlags,
  databases: readonly string[],
  rules: readonly PrivacyRule[] = [],
): string {
  return JSON.stringify({
    databases: [...databases].sort(),
    minMessages,
    subagents,
    wing: wing ?? null,
    redact,
    ...(rules.length > 0 ? { rules: rules.map(({ kind, pattern }) => [kind, pattern]) } : {}),
  });
}

/** @throws UserError `not-found` with all paths that were searched */
export function databasesOf({ db = [] }: SessionFlags, { env, folders }: CommandContext): DatabaseLocation[] {
  const { found, looked } = locateDatabases({ db, env, folders });
  if (found.length > 0) return found;
  throw new UserError('not-found', `no opencode database found in ${looked.join(', ')}`, {
    hint: 'use opencode once, or name its database with --db',
  });
}

export function sessionOptions(
  flags: SessionFlags,
  databases: DatabaseLocation[],
  scope: string,
  palace: Known | undefined,
  staging: Staging,
  context: CommandContext,
): SessionOptions {
  const { minMessages, since, session, directory, subagents, limit, wing } = flags;
  return {
    ...staging,
    databases,
    minMessages,
    since: sinceOf(flags, scope, palace, context),
    sawOlder: since === true,
    sessions: session ?? [],
    directory,
    subagents,
    limit,
    wing,
    filed: palace?.sources.conversations() ?? new Map(),
    forgotten: palace?.forgetting.keys(),
  };
}

/** Those that said that everything is filed: one sentence for all agents of a run. */
const told = new WeakSet<Terminal>();

/** The moment of `--since`; without a value, the last complete run. */
export function sinceOf(
  { since }: SessionFlags,
  scope: string,
  palace: Known | undefined,
  context: CommandContext,
): number | undefined {
  if (since !== true) return since;
  const last = palace?.runs.lastComplete(COMMAND, scope);
  if (last !== undefined && last > Date.now()) {
    // Sessions that changed since then may have earlier times than that run.
    context.terminal.warn('the clock was set back since the last complete run: filing everything');
    return undefined;
  }
  if (last === undefined && !context.terminal.options.json && !told.has(context.terminal)) {
    told.add(context.terminal);
    context.terminal.note('--since: no earlier complete run with these options, filing everything');
  }
  return last;
}

async function surveyed(options: SessionOptions, { terminal }: CommandContext): Promise<SessionSurvey> {
  const survey = await surveySessions(options);
  const { since } = options;
  if (options.sawOlder === true && since !== undefined) {
    const unseen = survey
      .sessions()
      .filter(({ session, status }) => session.change.changedMs < since && status === 'new');
    if (unseen.length > 0)
      terminal.note(
        `--since: ${plural(unseen.length, 'older session')} ${unseen.length === 1 ? 'was' : 'were'} never filed ` +
          `(another or a restored database?); ${unseen.length === 1 ? 'it is' : 'they are'} filed, too`,
      );
  }
  return survey;
}
