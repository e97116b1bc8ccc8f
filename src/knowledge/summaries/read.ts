import { UserError } from '../../core/errors.js';
import type { Palace } from '../../store/index.js';
import { digestOf } from './digest.js';

/** Start of a day in UTC, epoch milliseconds. */
const dayStart = (now: Date): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());

/** Tokens that models used on this day (UTC). */
export const spentTokens = (palace: Palace, now: Date): number => palace.summaries.tokensSince(dayStart(now));

/**
 * Sessions that have no summary, or have grown since it was made, newest first.
 *
 * @throws UserError `not-found` for an unknown session
 */
export function unsummarised(
  palace: Palace,
  { limit, ...place }: { session?: string | undefined; since?: string | undefined; limit: number },
) {
  const { session } = place;
  if (session !== undefined && !palace.summaries.isSession(session))
    throw new UserError('not-found', `no session ${JSON.stringify(session)}`, {
      hint: 'mempalace list sources --type conversation shows the filed sessions',
    });
  const { rows, total } = palace.summaries.missing(place, limit);
  return { sessions: rows.map(({ grown, ...row }) => ({ ...row, grown: grown === 1 })), total };
}

/** @throws UserError `not-found` */
export function digestOfSession(
  palace: Palace,
  sourceKey: string,
  tokens: number,
): { digest: string; mtime_ms: number } {
  const source = palace.sources.byKey(sourceKey);
  if (source === undefined) throw new UserError('not-found', `no session ${JSON.stringify(sourceKey)}`);
  const digest = digestOf(palace.sources.textOf(source.id), palace.sources.turnsOf(source.id), tokens);
  return { digest, mtime_ms: source.mtimeMs };
}
