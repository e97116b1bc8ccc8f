import { isAbsolutePath, nameOfFile, pathBelow, plainPath } from '../core/file-path.js';
import { groupBy } from '../core/group-by.js';
import { type FiledSource, type FileTouchRow, type FileUse, hasToken, type Palace } from '../store/index.js';

/** `filed`: the source is the file; `mentioned`: its words contain the path. */
export type UseAction = FileTouchRow['action'] | 'filed' | 'mentioned';

/** A drawer with what was done to the file there. */
interface ShownUse extends Omit<FileUse, 'sourceId'> {
  action: UseAction;
  /** Relative to the session's folder, if the file is below it. */
  path: string;
  /** Of a renamed file: the former path. */
  former: string | null;
}

/** A source that has to do with a file. */
export interface FileSource {
  source: FiledSource;
  /** Day of the newest use. */
  day: string;
  /** Latest first. */
  uses: ShownUse[];
}

/** Sessions and documents that read, changed, are or speak of a file, newest first. Renames are followed back. */
export function sourcesByFile(palace: Palace, given: string, page: { limit: number; offset: number }) {
  const file = plainPath(given);
  const touches = palace.fileUses.touching(file);
  const touched = new Set(touches.map(({ drawerId }) => drawerId));
  const said = saidName(palace, file);
  const mentions = hasToken(said) ? palace.fileUses.mentions(said) : [];
  const plain = (action: UseAction) => (use: FileUse) => ({ ...use, action, path: said, former: null });
  const uses = [
    ...touches,
    ...palace.fileUses.documents(file).map(plain('filed')),
    ...mentions.filter(({ drawerId }) => !touched.has(drawerId)).map(plain('mentioned')),
  ];
  const found = [...groupBy(uses, ({ sourceId }) => sourceId)].flatMap(([id, all]) => {
    const source = palace.reading.source(id);
    return source === undefined ? [] : [sourceOf(source, all)];
  });
  found.sort(
    (a, b) => latestFirst(a.day, b.day) || b.source.mtimeMs - a.source.mtimeMs || b.source.id - a.source.id,
  );
  const { offset, limit } = page;
  const paths = [...new Set(touches.map(({ path }) => path))].sort();
  return { file, paths, sources: found.slice(offset, offset + limit), total: found.length };
}

function sourceOf(
  source: FiledSource,
  all: readonly (FileUse & Omit<ShownUse, keyof FileUse>)[],
): FileSource {
  const uses = all.map(({ sourceId: _, path, former, ...use }) => ({
    ...use,
    path: shownPath(path, source),
    former: former === null ? null : shownPath(former, source),
  }));
  uses.sort((a, b) => b.chunkIndex - a.chunkIndex || latestFirst(a.action, b.action));
  const days = uses.map(({ day }) => day).sort(latestFirst);
  return { source, day: days[0] ?? '', uses };
}

function shownPath(path: string, { directory }: FiledSource): string {
  return directory === null ? path : (pathBelow(plainPath(directory), path) ?? path);
}

/** The path by which people speak of a file: without the folder of its project. */
function saidName(palace: Palace, file: string): string {
  if (!isAbsolutePath(file)) return file;
  const within = palace.projects.all().flatMap(({ root }) => pathBelow(root, file) ?? []);
  return within.sort((a, b) => a.length - b.length)[0] ?? nameOfFile(file);
}

function latestFirst(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
