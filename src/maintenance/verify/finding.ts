import type { FiledSource } from '../../store/index.js';

/**
 * The palace compared with the origin of a source. `missing`: should be filed, but is not. `stale`: the next run files
 * it again, or removes it. `orphaned`: filed, but gone at its origin. `held_back`: the next run keeps the filed
 * version, with a reason. `forgotten`: must not be filed. `not_checked`: not known.
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

export interface MissingPart {
  message: string;
  /** Null for the end of a message, which is not stored as a part. */
  part: string | null;
  kind: 'text' | 'tool';
}

/** Titles are as in the palace, or sanitised. */
export interface Finding {
  kind: 'session' | 'document';
  status: Status;
  sourceKey: string;
  origin: string;
  wing: string;
  title: string | null;
  detail?: string | undefined;
  parts?: number | undefined;
  missingParts?: MissingPart[] | undefined;
  /** Number of messages that only the palace still has: its program has lost them. */
  gone?: number | undefined;
  /** `not_checked` because it cannot be checked here, such as an imported source. */
  harmless?: boolean | undefined;
}

export function findingOf(
  source: Pick<FiledSource, 'kind' | 'sourceKey' | 'origin'> & Partial<Pick<FiledSource, 'wing' | 'title'>>,
  status: Status,
  more: Pick<Finding, 'detail' | 'parts' | 'missingParts' | 'harmless'> = {},
): Finding {
  const { kind: filedAs, sourceKey, origin, wing = '', title = null } = source;
  const kind = filedAs === 'conversation' ? 'session' : 'document';
  return { kind, status, sourceKey, origin, wing, title, ...more };
}

/** Whether palace and origin differ, or may differ. */
export function disagrees({ status, harmless }: Finding): boolean {
  if (status === 'not_checked') return harmless !== true;
  return status !== 'ok' && status !== 'forgotten';
}
