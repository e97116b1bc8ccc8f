import { WING_BYTES } from '../../core/wing.js';

/** A room of `mempalace.yaml`. */
export interface Room {
  name: string;
  description?: string | undefined;
  keywords: string[];
  /** Each folder in its folder is a room of its own. Default: false. */
  byFolder?: boolean | undefined;
  /** Searched only when asked for, if the user's `search.cold` contains it. Default: false. */
  cold?: boolean | undefined;
}

export const GENERAL_ROOM = 'general';

/**
 * The room of a document: the first room of `mempalace.yaml` whose name or keyword equals a folder of the path (left to
 * right) or, after those, the file's stem; else the first folder below the root; else `general`. The comparison ignores
 * case and Unicode form. In a room `byFolder`, the room is the folder after the one that matched, if there is one.
 *
 * @param relativePath below the project's root, with `/`
 */
export function roomOf(relativePath: string, rooms: readonly Room[] = []): string {
  const folders = relativePath.split('/');
  const file = folders.pop() ?? '';
  const stem = file.replace(/(?!^)\.[^.]*$/, '');
  for (const [index, segment] of [...folders, stem].entries()) {
    const wanted = fold(segment);
    const room = rooms.find((each) => [each.name, ...each.keywords].some((name) => fold(name) === wanted));
    if (room === undefined) continue;
    const inner = room.byFolder === true ? printable(folders[index + 1] ?? '') : '';
    return inner || room.name;
  }
  return printable(folders[0] ?? '') || GENERAL_ROOM;
}

export function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '').trim();
}

export function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** `wing_<name>` in lower case, with `_` for everything but letters, digits and `_`; cut if too long. */
export function defaultWing(directoryName: string): string {
  let wing = 'wing_';
  let length = wing.length;
  for (const character of fold(directoryName).replace(/[^\p{L}\p{N}_]/gu, '_')) {
    length += 1;
    if (length > 128 || Buffer.byteLength(wing) + Buffer.byteLength(character) > WING_BYTES) break;
    wing += character;
  }
  return wing;
}
