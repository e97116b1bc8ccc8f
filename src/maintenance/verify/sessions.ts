import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { parseJson } from '../../core/json.js';
import { existsAs } from '../../core/marked-path.js';
import { sessionProblem } from '../../feeders/session/collect.js';
import { madeBy } from '../../feeders/session/fingerprint.js';
import {
  CONTAINED,
  type DatabaseLocation,
  FORGOTTEN,
  originOf,
  realPathOf,
  type SessionOptions,
  type SessionSurvey,
  sourceKeyOf,
  surveySessions,
} from '../../feeders/session/index.js';
import { learnSession } from '../../feeders/session/transcript-of.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { type Finding, findingOf } from './finding.js';
import { verifySession } from './transcript.js';

/** The command whose runs record which databases they read. */
const FEEDER = 'mempalace-session';
const KEY_PREFIX = sourceKeyOf('');

export interface VerifySessionsOptions {
  palace: Palace;
  /** The feeder's options; an empty `sessions` means all. */
  feeder: SessionOptions;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Compares opencode's sessions with the filed ones, one by one, as the feeder would choose and transcribe them. A
 * filed session counts as orphaned only if none of the databases that its run read contains it, and all of them could
 * be read.
 *
 * @throws UserError as `surveySessions` does, except when the named sessions are filed and gone
 */
export async function* verifySessions(options: VerifySessionsOptions): AsyncGenerator<Finding> {
  const { palace, feeder } = options;
  const filed = filedSessions(palace, feeder.sessions);
  const survey = await surveyOf(feeder, filed);
  if (survey === undefined) {
    yield* absent(palace, [...filed.values()], gone(palace, feeder.databases, new Set()));
    return;
  }
  const problems = survey.skipped.filter(({ problem }) => problem === true);
  const unread = new Map(problems.map(({ origin, reason, detail }) => [origin, detail ?? reason]));
  try {
    yield* verifyChosen(survey, options, filed);
    yield* forgottenOf(survey, feeder);
  } finally {
    survey.close();
  }
  const live = new Set(survey.skipped.map(({ origin }) => origin));
  const isUnread = ({ origin }: FiledSource) => unread.get(origin);
  const rest = [...filed.values()];
  const passedOver = rest.filter((source) => live.has(source.origin) && isUnread(source) === undefined);
  for (const source of rest) {
    const why = isUnread(source);
    if (why !== undefined) yield findingOf(source, 'not_checked', { detail: why });
  }
  if (passedOver.length > 0) yield* verifyNamed(passedOver, options, filed);
  yield* absent(
    palace,
    rest.filter((source) => !live.has(source.origin) && isUnread(source) === undefined),
    gone(palace, feeder.databases, new Set(unread.keys())),
  );
}

/** Filed opencode sessions by key. */
function filedSessions(palace: Palace, named: readonly string[]): Map<string, FiledSource> {
  const wanted = new Set(named.map(sourceKeyOf));
  const all = palace.sources.ofKind('conversation');
  for (const key of all.keys())
    if (!key.startsWith(KEY_PREFIX) || (wanted.size > 0 && !wanted.has(key))) all.delete(key);
  return all;
}

/** Undefined when opencode contains none of the named sessions any more, but one of them is filed. */
async function surveyOf(
  feeder: SessionOptions,
  filed: ReadonlyMap<string, FiledSource>,
): Promise<SessionSurvey | undefined> {
  try {
    return await surveySessions(feeder);
  } catch (error) {
    const named = feeder.sessions.length > 0 && filed.size > 0;
    if (named && error instanceof UserError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** @param filed sessions that were compared are deleted from it */
async function* verifyChosen(
  survey: SessionSurvey,
  { palace, feeder, onProgress }: VerifySessionsOptions,
  filed: Map<string, FiledSource>,
): AsyncGenerator<Finding> {
  const { sanitiser, signal } = feeder;
  const { items } = survey;
  let done = 0;
  for (const [tree, members] of groupBy(items, (item) => item.tree)) {
    const scope = sanitiser.scope();
    for (const item of [...members, ...survey.relativesOf(tree)]) await learnSession(item, scope, signal);
    const options = { palace, sanitiser: scope, madeBy: madeBy(sanitiser.version), signal };
    for (const item of members) {
      signal?.throwIfAborted();
      const source = filed.get(item.sourceKey);
      filed.delete(item.sourceKey);
      if (!item.decision.contained) yield* checked(() => verifySession(item, options), item.session, source);
      else if (source !== undefined) yield findingOf(source, 'stale', { detail: CONTAINED });
      done += 1;
      onProgress?.(done, items.length);
    }
  }
}

/** Reports a session that cannot be read, so that the others are still compared. */
async function* checked(
  work: () => Promise<Finding | undefined>,
  session: Parameters<typeof sessionProblem>[1],
  filed: FiledSource | undefined,
): AsyncGenerator<Finding> {
  let finding: Finding | undefined;
  try {
    finding = await work();
  } catch (error) {
    const { origin, detail } = sessionProblem(error, session);
    const source = filed ?? { kind: 'conversation', sourceKey: sourceKeyOf(session.row.id), origin };
    finding = findingOf(source, 'not_checked', { detail });
  }
  if (finding !== undefined) yield finding;
}

/** Filed sessions that a run would skip, such as short ones that were filed by name. */
async function* verifyNamed(
  sources: readonly FiledSource[],
  options: VerifySessionsOptions,
  filed: Map<string, FiledSource>,
): AsyncGenerator<Finding> {
  const ids = sources.map(({ sourceKey }) => sourceKey.slice(KEY_PREFIX.length));
  const survey = await surveySessions({ ...options.feeder, sessions: ids });
  try {
    yield* verifyChosen(survey, options, filed);
    const why = new Map(survey.skipped.map(({ origin, reason }) => [origin, reason]));
    for (const source of sources) {
      if (!filed.has(source.sourceKey)) continue;
      const detail = `${why.get(source.origin) ?? 'gone meanwhile'}; the filed session stays`;
      yield findingOf(source, 'held_back', { detail });
    }
  } finally {
    survey.close();
  }
}

function* forgottenOf(survey: SessionSurvey, { sessions }: SessionOptions): Generator<Finding> {
  const named = new Set(sessions.map(originOf));
  for (const { origin, reason } of survey.skipped) {
    if (reason !== FORGOTTEN || (named.size > 0 && !named.has(origin))) continue;
    const sourceKey = sourceKeyOf(origin.slice(originOf('').length));
    yield findingOf({ kind: 'conversation', sourceKey, origin }, 'forgotten');
  }
}

function* absent(
  palace: Palace,
  sources: readonly FiledSource[],
  whyNotGone: (source: FiledSource) => Pick<Finding, 'detail' | 'harmless'> | undefined,
): Generator<Finding> {
  for (const source of sources) {
    // A feeder may have removed it since the start.
    if (palace.sources.byKey(source.sourceKey) === undefined) continue;
    const why = whyNotGone(source);
    if (why === undefined) yield findingOf(source, 'orphaned', { detail: 'opencode no longer has it' });
    else yield findingOf(source, 'not_checked', why);
  }
}

const scopeOfRun = z.object({ databases: z.array(z.string()) });

/** Why a filed session that was not found may still exist elsewhere; undefined when it is gone. */
function gone(palace: Palace, databases: readonly DatabaseLocation[], unread: ReadonlySet<string>) {
  const read = new Set(databases.filter(({ path }) => !unread.has(path)).map(({ path }) => realPathOf(path)));
  return ({ id }: FiledSource): Pick<Finding, 'detail' | 'harmless'> | undefined => {
    const run = palace.runs.thatFiled(id);
    const scope = run?.command === FEEDER ? scopeOfRun.safeParse(parseJson(run.scope)).data : undefined;
    if (scope === undefined) {
      const detail = `filed by ${run?.command ?? 'an unknown command'}: which database it came from is not known`;
      return { detail, harmless: true };
    }
    const missing = scope.databases.filter((path) => !read.has(path));
    if (missing.length === 0) return undefined;
    return {
      detail: `it was read from ${missing.join(' or ')}, which cannot be read now (--db names a database)`,
    };
  };
}

/**
 * Findings of orphans that are still filed, and still gone at their origin. To be called under the run lock.
 *
 * @param feeder undefined when no session was compared
 */
export async function stillOrphaned(
  findings: readonly Finding[],
  palace: Palace,
  feeder: SessionOptions | undefined,
): Promise<FiledSource[]> {
  const orphans = findings.filter(({ status }) => status === 'orphaned');
  const sources = orphans.flatMap(({ sourceKey }) => palace.sources.byKey(sourceKey) ?? []);
  const ids = sources.flatMap(({ kind, sessionId }) => (kind === 'conversation' ? (sessionId ?? []) : []));
  const gone = feeder === undefined ? new Set<string>() : await goneOf(ids, feeder);
  return sources.filter(({ kind, sessionId, origin }) =>
    kind === 'conversation' ? sessionId !== null && gone.has(sessionId) : !existsAs(origin),
  );
}

/** Removes sources without a tombstone: if one comes back, it is filed again. Returns the number of removed drawers. */
export function removeOrphans(palace: Palace, sources: readonly FiledSource[]): number {
  const drawers = palace.removeAll(sources);
  for (const { projectId } of sources) if (projectId !== null) palace.projects.removeIfEmpty(projectId);
  palace.tidy();
  return drawers;
}

/** The sessions that none of these databases contains; empty when one of them cannot be read. */
async function goneOf(sessionIds: readonly string[], feeder: SessionOptions): Promise<Set<string>> {
  const { collectSessions, closeAll } = await import('../../feeders/session/collect.js');
  const { sessions, histories, problems } = collectSessions(feeder.databases);
  closeAll(histories);
  if (problems.some(({ reason }) => reason === 'unreadable database')) return new Set();
  return new Set(sessionIds.filter((id) => !sessions.has(id)));
}
