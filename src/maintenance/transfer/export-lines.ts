import { snakeCased } from '../../core/case.js';
import type { TurnMark, TurnRole } from '../../core/turns.js';
import { collectionRows } from '../../knowledge/collections/exchange.js';
import { factRowOf } from '../../knowledge/facts/index.js';
import { taskRows } from '../../knowledge/tasks/exchange.js';
import { formatModel, type Palace } from '../../store/index.js';
import {
  type BodyLine,
  drawerLine,
  FORMAT,
  FORMAT_VERSION,
  type HeaderLine,
  projectLine,
  sourceLine,
  tombstoneLine,
} from './archive-lines.js';

/**
 * The palace, or one wing, line by line, without runs. To be read inside `archive.during`, so that it is one state of
 * the palace.
 *
 * @param made ISO 8601
 */
export function* exportLines(
  palace: Palace,
  options: {
    wing?: string | undefined;
    made: string;
    onProgress?: (done: number, total: number) => void;
  },
): Generator<HeaderLine | BodyLine> {
  const { wing, made, onProgress } = options;
  const { archive, forgetting, projects, sources } = palace;
  const model = formatModel(palace.model);
  yield { type: 'header', format: FORMAT, version: FORMAT_VERSION, model, made, wing: wing ?? null };
  const wanted = wing === undefined ? undefined : archive.projectsOf(wing);
  for (const project of projects.all())
    if (wanted === undefined || project.wing === wing || wanted.has(project.id))
      yield snakeCased(projectLine, { type: 'project', ...project });
  for (const tombstone of forgetting.all())
    if (wing === undefined || tombstone.wing === wing)
      yield snakeCased(tombstoneLine, { type: 'tombstone', ...tombstone });
  const total = archive.count(wing);
  let done = 0;
  for (const row of archive.sources(wing)) {
    const source = row.sourceKey;
    const messages = sources.messagesOf(row.id);
    yield snakeCased(sourceLine, {
      ...row,
      type: 'source',
      sourceMtime: row.mtimeMs,
      pinned: row.pinned === 1,
      messages,
      ...turnFields(sources.turnsOf(row.id), messages),
    });
    for (const text of sources.texts(row.id)) yield { type: 'text', source, text };
    for (const drawer of archive.drawers(row.id)) {
      yield snakeCased(drawerLine, {
        ...drawer,
        type: 'drawer',
        source,
        charStart: drawer.start,
        charEnd: drawer.end,
        pinned: drawer.pinned === 1,
        vectorHash: drawer.vectorHash.toString('hex'),
        vector: drawer.embedding?.toString('base64') ?? '',
      });
    }
    yield { type: 'end', source, pieces: row.pieces, drawers: row.drawers };
    done += 1;
    onProgress?.(done, total);
  }
  for (const fact of palace.facts.all(wing)) yield { type: 'fact', ...factRowOf(fact) };
  if (wing === undefined) {
    for (const row of collectionRows(palace)) yield { type: 'collection', ...row };
    for (const row of taskRows(palace)) yield { type: 'task', ...row };
  }
  yield { type: 'done', sources: done };
}

function turnFields(turns: readonly TurnMark[] | undefined, messages: readonly string[]) {
  if (turns === undefined) return { turns: null };
  const places = new Map(messages.map((message, place) => [message, place]));
  const gone = turns.flatMap((turn, index) => (turn.gone === true ? [index] : []));
  return {
    turns: turns.map(({ role, start }): [TurnRole, number] => [role, start]),
    turnMessages: turns.map(({ message }) => places.get(message ?? '') ?? null),
    ...(gone.length > 0 ? { goneTurns: gone } : {}),
  };
}
