import { type ErrorCode, UserError } from '../../../core/errors.js';
import { locateDatabases } from '../../../feeders/session/locate.js';
import { agentsWithSessions, type Placed, placedHarnesses } from '../../../feeders/transcripts/present.js';
import { formatSeconds, plural } from '../../../terminal/durations.js';
import { EXIT } from '../../app/exit.js';
import type { Fed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { feedSeveral, type Several, sayNotRun, totalsOf, worstExitCode } from '../../app/several.js';
import { countsText, problemsOf, sayTooShort } from '../../app/summary.js';
import type { SessionFlags } from '../../programs/session.js';
import { feedHarness } from './from.js';
import { joined } from './joined.js';
import { feedSessions } from './run.js';

const COMMAND = 'mempalace-session';
const OPENCODE = 'opencode';

/** A program whose sessions are filed. */
interface Agent {
  /** The argument of `--from`. */
  name: string;
  label: string;
  feed(flags: SessionFlags, context: CommandContext, part: boolean): Promise<Fed>;
}

/**
 * `mempalace-session`: files the sessions of the named agents, by default of every agent that has some here. Returns the
 * exit code.
 *
 * @throws UserError `usage` for an option that only opencode has, `not-found` without any agent, and for the only one as
 * its feeder does
 */
export async function runSessions(flags: SessionFlags, context: CommandContext): Promise<number> {
  const agents = await agentsOf(flags, context);
  const [only, ...others] = agents;
  if (only !== undefined && others.length === 0) return (await only.feed(flags, context, false)).exitCode;
  const parts = agents.map(({ label, feed }) => ({
    name: label,
    feed: (maxDuration?: number) => feed({ ...flags, maxDuration }, context, true),
  }));
  const several = await feedSeveral(parts, flags.maxDuration, context, concernsAll);
  return sayAll(agents, several, context);
}

async function agentsOf(flags: SessionFlags, context: CommandContext): Promise<Agent[]> {
  const { env, folders } = context;
  const harnesses = placedHarnesses(env);
  const own = ownOptions(flags);
  const named = flags.from ?? (own.length > 0 ? [OPENCODE] : undefined);
  if (named !== undefined) {
    const [other] = named.filter((name) => name !== OPENCODE);
    if (other !== undefined && own.length > 0)
      throw new UserError('usage', `${own.join(', ')}: for sessions of opencode, not with --from ${other}`);
    return [
      ...(named.includes(OPENCODE) ? [opencode] : []),
      ...harnesses.filter(({ harness }) => named.includes(harness.name)).map(agentOf),
    ];
  }
  const agents = await agentsWithSessions(env, folders);
  if (agents.length > 0)
    return agents.map(({ placed }) => (placed === undefined ? opencode : agentOf(placed)));
  const { looked } = locateDatabases({ db: [], env, folders });
  const others = harnesses.map(({ harness, places }) => `${harness.label} in ${places.join(', ')}`);
  throw new UserError(
    'not-found',
    `no opencode database found in ${looked.join(', ')}; no sessions of other agents found (${others.join('; ')})`,
    { hint: 'use an agent once, or name a database of opencode with --db' },
  );
}

const opencode: Agent = {
  name: OPENCODE,
  label: OPENCODE,
  feed: (flags, context, part) => feedSessions(flags, context, { part }),
};

function agentOf(placed: Placed): Agent {
  const { name, label } = placed.harness;
  return { name, label, feed: (flags, context, part) => feedHarness(placed, flags, context, part) };
}

/** The given options that only opencode has. */
function ownOptions(flags: SessionFlags): string[] {
  return Object.entries({
    '--db': flags.db,
    '--session': flags.session,
    '--directory': flags.directory,
    '--no-subagents': !flags.subagents,
    '--repair': flags.repair,
  }).flatMap(([name, used]) => (used ? [name] : []));
}

/** Errors of the palace or of an option, rather than of an agent's files. */
function concernsAll(code: ErrorCode): boolean {
  return !['failed', 'not-found', 'unreadable', 'locked'].includes(code);
}

/** What was not done for one agent is left out of a whole that was done. */
function exitCodeOf({ outcomes, notRun }: Several): number {
  const codes = [...outcomes.map(({ exit_code }) => exit_code), ...notRun.map(() => EXIT.incomplete)];
  const worst = worstExitCode(codes);
  const isDone = outcomes.some(({ error }) => error === null);
  return worst === EXIT.failed && isDone ? EXIT.incomplete : worst;
}

function sayAll(agents: readonly Agent[], several: Several, context: CommandContext): number {
  const { outcomes, summaries, notRun, seconds } = several;
  const { terminal } = context;
  sayNotRun(notRun, context);
  const exitCode = exitCodeOf(several);
  const documents = outcomes.flatMap(({ result }) => result ?? []);
  const failures = outcomes.flatMap(({ name, error }) =>
    error === null ? [] : [{ origin: name, reason: error.message, problem: true }],
  );
  const sums = joined([...documents, { problems: problemsOf([...failures, ...notRun]) }]);
  const [last] = summaries.slice(-1);
  if (last !== undefined) {
    const totals = totalsOf(summaries);
    sayTooShort(terminal, summaries);
    const text = `${plural(outcomes.length, 'agent')}: ${countsText(totals)}; ${plural(totals.drawers_added, 'drawer')} filed, ${last.drawers_total} in the palace, ${formatSeconds(seconds)}`;
    terminal.summary(`${COMMAND}: ${text}`);
    terminal.say(text);
  }
  const named = outcomes.map(({ name: _, ...outcome }, at) => ({ agent: agents[at]?.name, ...outcome }));
  terminal.json({ command: COMMAND, exit_code: exitCode, agents: named, ...sums, seconds });
  return exitCode;
}
