import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { buildSourceKey, isOfKind, KEY_KIND } from '../core/source-key.js';
import { validateWing } from '../core/wing.js';
import { writtenSource } from '../miner/written.js';
import type { Scope } from '../sanitiser/index.js';
import type { FiledSource, Palace } from '../store/index.js';

/** Behind the key's slash: what was written is cut as Markdown. */
const NAME = 'drawer.md';
const ID_DIGITS = 24;

/** What `add_drawer` was given. */
export interface Draft {
  wing: string;
  room: string;
  content: string;
  sourceFile: string | undefined;
}

/** Whether a source was written by `add_drawer`, and by no feeder. */
export function isWritten(sourceKey: string): boolean {
  return isOfKind(sourceKey, KEY_KIND.drawer);
}

/**
 * A draft as a text for the miner, sanitised; its key is not settled yet.
 *
 * @param scope of all drafts that are written together
 * @throws UserError `usage` for a name that is no wing or room
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
 * A staged draft under a key of its own. The same draft has the same key, so that a call that is made twice files
 * once; where that key holds another text by now (it was updated since) the next one is taken.
 *
 * @returns `filed` when exactly this is filed already
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
