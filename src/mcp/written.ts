import { UserError } from '../common/errors.js';
import { sha256 } from '../common/hash.js';
import { validateWing } from '../common/wing.js';
import type { WrittenText } from '../miner/written.js';
import type { FiledSource, Palace } from '../store/index.js';

const KIND = 'drawer:';
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
  return sourceKey.startsWith(KIND);
}

/**
 * A draft as a text for the miner, under a key of its own. The same draft has the same key, so that a call that is
 * made twice files once; where that key holds another text by now (it was updated since) the next one is taken.
 *
 * @param clean what the draft's text is filed as
 * @returns `filed` when exactly this is filed already
 * @throws UserError `usage` for a name that is no wing or room
 */
export function settle(
  palace: Palace | undefined,
  draft: Draft,
  clean: string,
): { written: WrittenText; filed: FiledSource | undefined } {
  const wing = validateWing(draft.wing);
  const room = validRoom(draft.room);
  for (let occurrence = 0; ; occurrence += 1) {
    const id = sha256(`${wing}\0${room}\0${sha256(clean)}\0${occurrence}`).slice(0, ID_DIGITS);
    const sourceKey = `${KIND}${id}/${NAME}`;
    const filed = palace?.sources.byKey(sourceKey);
    const same = filed?.hash === sha256(clean) && filed.wing === wing && filed.room === room;
    if (filed !== undefined && !same) continue;
    const written = {
      sourceKey,
      wing,
      room,
      text: draft.content,
      origin: `mempalace://drawer/${id}`,
      sourceFile: draft.sourceFile ?? `drawer/${id}.md`,
      writtenMs: Date.now(),
    };
    return { written, filed: same ? filed : undefined };
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
