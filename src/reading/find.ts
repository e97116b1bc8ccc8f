import { UserError } from '../core/errors.js';
import { KEY_KIND } from '../core/source-key.js';
import { conditionOf, type DrawerView, type FiledSource, type Palace } from '../store/index.js';

export type Target = { kind: 'drawer'; drawer: DrawerView } | { kind: 'source'; source: FiledSource };

/** Least digits of an abbreviated id. */
const LEAST_DIGITS = 8;
const CANDIDATES_SHOWN = 8;
const DRAWER_ID = /^drawer_(?<digits>[0-9a-f]*)$/;

/**
 * Finds a drawer by its id or the beginning of it (at least 8 characters after `drawer_`).
 *
 * @param wing the only one; default: all
 * @throws UserError `usage` for an invalid, short or ambiguous id, `not-found` for an unknown one
 */
export function findDrawer(palace: Palace, id: string, wing?: string): DrawerView {
  const digits = DRAWER_ID.exec(id.trim())?.groups?.digits;
  if (digits === undefined) {
    throw new UserError('usage', `not a drawer id: ${JSON.stringify(id)}`, {
      hint: 'ids look like drawer_0123456789ab; `mempalace search` shows them',
    });
  }
  if (digits.length < LEAST_DIGITS) {
    throw new UserError('usage', `${id}: at least ${LEAST_DIGITS} characters after drawer_ are needed`);
  }
  const [first, ...others] = palace.reading.drawersByPrefix(
    `drawer_${digits}`,
    CANDIDATES_SHOWN + 1,
    conditionOf({ wing }),
  );
  if (first === undefined) {
    throw new UserError('not-found', `the palace has no drawer ${id}`, {
      hint: 'its text may have changed since: find it again with `mempalace search`',
    });
  }
  if (others.length > 0) {
    throw ambiguous(
      `${id} begins several drawer ids`,
      [first, ...others].map((drawer) => drawer.drawerId),
    );
  }
  return first;
}

/**
 * Finds a drawer or source by a drawer id, a source key, session id, `source_file` or origin, the id of an imported
 * drawer in its first palace, or an unambiguous end of a `source_file` from a slash on.
 *
 * @param paths further names for the same, such as the absolute path of a relative one
 * @param wing the only one; default: all
 * @throws UserError as `findDrawer` does
 */
export function findTarget(
  palace: Palace,
  name: string,
  paths: readonly string[] = [],
  wing?: string,
): Target {
  if (DRAWER_ID.test(name.trim())) return { kind: 'drawer', drawer: findDrawer(palace, name, wing) };
  for (const exact of [name, ...paths]) {
    const source = theOne(palace.reading.sourcesNamed(exact, wing), name);
    if (source !== undefined) return { kind: 'source', source };
  }
  const drawer = palace.reading.drawerAliased(name, `${KEY_KIND.imported}:`, wing);
  if (drawer !== undefined) return { kind: 'drawer', drawer };
  const tail = name.replace(/^(?:\.?\/)+/, '');
  const ends = tail === '' ? [] : palace.reading.sourcesEndingWith(tail, CANDIDATES_SHOWN + 1, wing);
  const source = theOne(ends, name);
  if (source !== undefined) return { kind: 'source', source };
  throw new UserError('not-found', `the palace has no source ${JSON.stringify(name)}`, {
    hint: 'name a drawer id, a session id or a source_file, as `mempalace search --json` shows them',
  });
}

/** `docs/a.md:12`; `docs/a.md:95:12` names twelve lines. What precedes the last number may contain colons itself. */
const AT_LINE = /^(?<path>.+):(?<line>\d+)$/s;
const AT_LINES = /^(?<path>.+):(?<line>\d+):(?<lines>\d+)$/s;

/**
 * What a name stands for, which may end in `:line` or `:line:count`: then the first drawer with text there, and the
 * `chunkIndex` of the last. A source whose whole name ends so is preferred.
 *
 * @throws UserError as `findTarget` does, and `not-found` for lines that the source does not have
 */
export function findLines(
  palace: Palace,
  name: string,
  paths: readonly string[] = [],
  wing?: string,
): Target & { end?: number } {
  try {
    return findTarget(palace, name, paths, wing);
  } catch (error) {
    for (const form of isUnknown(error) ? [AT_LINE, AT_LINES] : []) {
      const { path, line, lines = '1' } = form.exec(name)?.groups ?? {};
      if (path === undefined) continue;
      const source = sourceOr(() =>
        findTarget(
          palace,
          path,
          paths.map((each) => each.replace(form, '$<path>')),
          wing,
        ),
      );
      if (source === undefined) continue;
      const first = Number(line);
      const drawers = palace.reading.drawersOnLines(source.id, first, first + Math.max(Number(lines), 1) - 1);
      const [drawer] = drawers;
      if (drawer === undefined)
        throw new UserError('not-found', `${JSON.stringify(path)} has no text on line ${first}`, {
          hint: 'mempalace show <path> prints all of it',
        });
      return { kind: 'drawer', drawer, end: drawers.at(-1)?.chunkIndex ?? drawer.chunkIndex };
    }
    throw error;
  }
}

const isUnknown = (error: unknown): boolean => error instanceof UserError && error.code === 'not-found';

/** @throws UserError for an ambiguous name */
function sourceOr(find: () => Target): FiledSource | undefined {
  try {
    const found = find();
    return found.kind === 'source' ? found.source : undefined;
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}

/** A session's id also names the transcripts of its sub-agents: the session itself is preferred. */
function theOne(all: readonly FiledSource[], name: string): FiledSource | undefined {
  const own = all.filter(({ sourceKey }) => sourceKey.endsWith(`:${name}`));
  const sources = own.length === 1 ? own : all;
  if (sources.length > 1) {
    throw ambiguous(
      `${JSON.stringify(name)} is the name of several sources`,
      sources.map((source) => source.sourceFile),
    );
  }
  return sources[0];
}

function ambiguous(message: string, candidates: readonly string[]): UserError {
  const shown = candidates.slice(0, CANDIDATES_SHOWN);
  const more = candidates.length > shown.length ? ', …' : '';
  return new UserError('usage', message, { hint: `one of ${shown.join(', ')}${more}` });
}
