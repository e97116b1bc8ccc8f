import { isAbsolutePath, nameOfFile, pathBelow, plainPath } from '../core/file-path.js';
import { groupBy } from '../core/group-by.js';
import { type FiledSource, type FileTouchRow, type FileUse, hasToken, type Palace } from '../store/index.js';

/** `filed`: the source is the file; `mentioned`: its words contain the path. */
export type UseAction = FileTouchRow['action'] | 'filed' | 'mentioned';

/** A drawer with what was done to the file there. */
interface ShownUse extends Omit<FileUse, 'source_id' | 'chunk_index' | 'source_mtime'> {
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
  const { fileUses } = palace;
  const paths = fileUses.paths(file);
  const said = saidName(palace, file);
  const plain = (action: UseAction) => (use: FileUse) => ({ ...use, action, path: said, former: null });
  const spoken = [
    ...fileUses.documents(file).map(plain('filed')),
    ...(hasToken(said) ? fileUses.mentions(said) : []).map(plain('mentioned')),
  ];
  const last = lastUses([...fileUses.last(paths), ...spoken]);
  const { offset, limit } = page;
  const ids = last.slice(offset, offset + limit).map(({ source_id }) => source_id);
  const touches = fileUses.touching(paths, ids);
  const touched = new Set(touches.map(({ drawer_id }) => drawer_id));
  const isNews = (use: (typeof spoken)[number]) => use.action === 'filed' || !touched.has(use.drawer_id);
  const uses = groupBy([...touches, ...spoken.filter(isNews)], ({ source_id }) => source_id);
  const sources = ids.flatMap((id) => {
    const source = palace.reading.source(id);
    return source === undefined ? [] : [sourceOf(source, uses.get(id) ?? [])];
  });
  return { file, paths: paths.sort(), sources, total: last.length };
}

/** The last use of each source, newest first. */
function lastUses(uses: readonly FileUse[]): FileUse[] {
  const last = new Map<number, FileUse>();
  for (const use of uses) if (use.day > (last.get(use.source_id)?.day ?? '')) last.set(use.source_id, use);
  return [...last.values()].sort(
    (a, b) => latestFirst(a.day, b.day) || b.source_mtime - a.source_mtime || b.source_id - a.source_id,
  );
}

function sourceOf(
  source: FiledSource,
  all: readonly (FileUse & Omit<ShownUse, keyof FileUse>)[],
): FileSource {
  const sorted = all.toSorted((a, b) => b.chunk_index - a.chunk_index || latestFirst(a.action, b.action));
  const uses = sorted.map(({ action, path, former, drawer_id, day, line_start }) => ({
    action,
    path: shownPath(path, source),
    former: former === null ? null : shownPath(former, source),
    ...{ drawer_id, day, line_start },
  }));
  const days = uses.map(({ day }) => day).sort(latestFirst);
  return { source, day: days[0] ?? '', uses };
}

/** As the session's folder names it, if it is below it. */
export function shownPath(path: string, { directory }: Pick<FiledSource, 'directory'>): string {
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
