import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { parseJson } from '../../core/json.js';
import { existsAs } from '../../core/marked-path.js';
import { sessionProblem } from '../../feeders/session/collect.js';
import { madeBy } from '../../feeders/session/fingerprint.js';
import { realPathOf } from '../../feeders/session/locate.js';
import {
  CONTAINED,
  originOf,
  type SessionOptions,
  sourceKeyOf,
  type WorkItem,
} from '../../feeders/session/options.js';
import { type SessionSurvey, surveySessions } from '../../feeders/session/survey.js';
import { learnSession } from '../../feeders/session/transcript-of.js';
import { FORGOTTEN } from '../../feeders/staging/wings.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { type Finding, findingOf } from './finding.js';
import { type TranscriptOptions, verifySession } from './transcript.js';

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
  if (survey !== undefined) {
    try {
      yield* verifyChosen(survey, options, filed);
      yield* forgottenOf(survey, feeder);
    } finally {
      survey.close();
    }
  }
  const skips = groupBy(survey?.skipped ?? [], ({ origin }) => origin);
  const problemAt = (origin: string) => skips.get(origin)?.find(({ problem }) => problem === true);
  const passedOver: FiledSource[] = [];
  const absent: FiledSource[] = [];
  for (const source of filed.values()) {
    const problem = problemAt(source.origin);
    if (problem === undefined) (skips.has(source.origin) ? passedOver : absent).push(source);
    else yield findingOf(source, 'not_checked', { detail: problem.detail ?? problem.reason });
  }
  if (passedOver.length > 0) yield* verifyNamed(passedOver, options, filed);
  const read = feeder.databases.filter(({ path }) => problemAt(path) === undefined);
  yield* absentSessions(palace, absent, new Set(read.map(({ path }) => realPathOf(path))));
}

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
      const finding = await compared(item, source, options);
      if (finding !== undefined) yield finding;
      done += 1;
      onProgress?.(done, items.length);
    }
  }
}

/** A session that cannot be read is reported, so that the others are still compared. */
async function compared(
  item: WorkItem,
  filed: FiledSource | undefined,
  options: TranscriptOptions,
): Promise<Finding | undefined> {
  if (item.decision.contained) return filed && findingOf(filed, 'stale', { detail: CONTAINED });
  try {
    return await verifySession(item, options);
  } catch (error) {
    const { origin, detail } = sessionProblem(error, item.session);
    const { sourceKey } = item;
    return findingOf(filed ?? { kind: 'conversation', sourceKey, origin }, 'not_checked', { detail });
  }
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

const scopeOfRun = z.object({ databases: z.array(z.string()) });

/** Filed sessions that were not found. They are gone unless the run that filed them read a database that is not in `read`. */
function* absentSessions(
  palace: Palace,
  sources: readonly FiledSource[],
  read: ReadonlySet<string>,
): Generator<Finding> {
  for (const source of sources) {
    // A feeder may have removed it since the start.
    if (palace.sources.byKey(source.sourceKey) === undefined) continue;
    const run = palace.runs.thatFiled(source.id);
    const scope = run?.command === FEEDER ? scopeOfRun.safeParse(parseJson(run.scope)).data : undefined;
    const missing = scope?.databases.filter((path) => !read.has(path));
    if (missing === undefined) {
      const detail = `filed by ${run?.command ?? 'an unknown command'}: which database it came from is not known`;
      yield findingOf(source, 'not_checked', { detail, harmless: true });
    } else if (missing.length > 0) {
      const detail = `it was read from ${missing.join(' or ')}, which cannot be read now (--db names a database)`;
      yield findingOf(source, 'not_checked', { detail });
    } else yield findingOf(source, 'orphaned', { detail: 'opencode no longer has it' });
  }
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
