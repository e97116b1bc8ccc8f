import type { FiledSource } from '../../store/index.js';

/**
 * How the palace stands to where a source came from. `missing`: it should be filed and is not. `stale`: the next run
 * files it again, or removes it. `orphaned`: filed, and gone at its origin. `held_back`: the next run leaves what is
 * filed, and says why. `forgotten`: not filed, and not to be. `not_checked`: nobody can say.
 */
export const STATUSES = [
  'ok',
  'missing',
  'stale',
  'orphaned',
  'held_back',
  'forgotten',
  'not_checked',
] as const;
export type Status = (typeof STATUSES)[number];

/** The detail of a source whose filed text has changed without a run. */
export const DAMAGED = 'its text in the palace is not what was filed: a run with --force files it again';

/** Something that a session says and its filed transcript does not. */
export interface MissingPart {
  message: string;
  /** Null for how a message ended, which no part of its own says. */
  part: string | null;
  kind: 'text' | 'tool';
}

/** What was found out about one source. Titles are as in the palace, or sanitised. */
export interface Finding {
  kind: 'session' | 'document';
  status: Status;
  sourceKey: string;
  origin: string;
  wing: string;
  title: string | null;
  detail?: string | undefined;
  /** Of a session: what it says, in parts. */
  parts?: number | undefined;
  /** Of a stale session. */
  missingParts?: MissingPart[] | undefined;
  /** `not_checked` by its nature: it was filed from elsewhere. */
  harmless?: boolean | undefined;
}

/** @param source filed, or to be filed; a wing or a title that is not known may be left out */
export function findingOf(
  source: Pick<FiledSource, 'kind' | 'sourceKey' | 'origin'> & Partial<Pick<FiledSource, 'wing' | 'title'>>,
  status: Status,
  more: Pick<Finding, 'detail' | 'parts' | 'missingParts' | 'harmless'> = {},
): Finding {
  const { kind: filedAs, sourceKey, origin, wing = '', title = null } = source;
  const kind = filedAs === 'conversation' ? 'session' : 'document';
  return { kind, status, sourceKey, origin, wing, title, ...more };
}

/** True when palace and origin are at odds, or nobody can say that they are not. */
export function disagrees({ status, harmless }: Finding): boolean {
  if (status === 'not_checked') return harmless !== true;
  return status !== 'ok' && status !== 'forgotten';
}
