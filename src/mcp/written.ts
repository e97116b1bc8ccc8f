import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { buildSourceKey, isOfKind, KEY_KIND } from '../core/source-key.js';
import { validateWing } from '../core/wing.js';
import { writtenSource } from '../miner/written.js';
import type { Scope } from '../sanitiser/index.js';
import type { FiledSource, Palace } from '../store/index.js';

/** Last part of a key: the text is cut as Markdown. */
const NAME = 'drawer.md';
const ID_DIGITS = 24;

/** The input of `add_drawer`. */
export interface Draft {
  wing: string;
  room: string;
  content: string;
  sourceFile: string | undefined;
}

/** Whether a source was written by `add_drawer`, not by a feeder. */
export function isWritten(sourceKey: string): boolean {
  return isOfKind(sourceKey, KEY_KIND.drawer);
}

/**
 * A sanitised draft for the miner, without its key.
 *
 * @param scope of all drafts that are written together
 * @throws UserError `usage` for an invalid name of a wing or room
 */
export async function stageDraft(
  { wing, room, content, sourceFile = '' }: Draft,
  scope: Scope,
): Promise<StagedSource> {
  const place = { wing: validateWing(wing), room: validRoom(room) };
  const text = { text: content, sourceFile, writtenMs: Date.now() };
  return writtenSource({ sourceKey: '', origin: '', ...place, ...text }, scope);
}

/**
 * Gives a staged draft its key. The same draft gets the same key, so that a repeated call files it once. When that key
 * has another text (it was updated since) the next key is taken.
 *
 * @returns `filed` when exactly this draft is filed already
 */
export function settle(
  palace: Palace,
  staged: StagedSource,
): { source: StagedSource; filed: FiledSource | undefined } {
  const { wing, room, hash } = staged;
  for (let occurrence = 0; ; occurrence += 1) {
    const id = sha256(`${wing}\0${room}\0${hash}\0${occurrence}`).slice(0, ID_DIGITS);
    const sourceKey = buildSourceKey({ kind: KEY_KIND.drawer, owner: id, name: NAME });
    const filed = palace.sources.byKey(sourceKey);
    const same = filed?.hash === hash && filed.wing === wing && filed.room === room;
    if (filed !== undefined && !same) continue;
    const origin = `mempalace://drawer/${id}`;
    const sourceFile = staged.sourceFile === '' ? `drawer/${id}.md` : staged.sourceFile;
    return { source: { ...staged, sourceKey, origin, sourceFile }, filed };
  }
}

/** @throws UserError `usage` */
export function validRoom(name: string): string {
  const room = name.normalize('NFC').trim();
  if (/^[^\p{Cc}\p{Cf}/\\]{1,128}$/u.test(room)) return room;
  throw new UserError('usage', `not a room: ${JSON.stringify(name)}`, {
    hint: 'a room is 1 to 128 characters, without slashes and control characters',
  });
}
