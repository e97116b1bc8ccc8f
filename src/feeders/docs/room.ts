/** A room that `mempalace.yaml` names. */
export interface Room {
  name: string;
  description?: string | undefined;
  keywords: string[];
}

export const GENERAL_ROOM = 'general';

/**
 * The room of a document: the first room of `mempalace.yaml` whose name or one of whose keywords equals a
 * folder of the path (left to right) or, after those, the file's stem; else the first folder below the root;
 * else `general`. Names compare without regard to case and Unicode form.
 *
 * @param relativePath below the project's root, with `/`
 */
export function roomOf(relativePath: string, rooms: readonly Room[] = []): string {
  const folders = relativePath.split('/');
  const file = folders.pop() ?? '';
  const stem = file.replace(/(?!^)\.[^.]*$/, '');
  for (const segment of [...folders, stem]) {
    const wanted = fold(segment);
    const room = rooms.find((each) => [each.name, ...each.keywords].some((name) => fold(name) === wanted));
    if (room !== undefined) return room.name;
  }
  return printable(folders[0] ?? '') || GENERAL_ROOM;
}

/** Without control characters and blanks at the ends. */
export function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '').trim();
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
