import { factRowOf } from '../../knowledge/facts/index.js';
import { type ArchivedDrawer, type ArchivedSource, formatModel, type Palace } from '../../store/index.js';
import { type BodyLine, FORMAT, FORMAT_VERSION, type HeaderLine } from './archive-lines.js';

/**
 * Everything that the palace keeps, or keeps of a wing, line by line; to be read inside `archive.during`, so that it
 * is one state of the palace. Runs are not part of it.
 *
 * @param made ISO 8601
 */
export function* exportLines(
  palace: Palace,
  options: {
    wing?: string | undefined;
    made: string;
    onProgress?: (done: number, total: number) => void;
    /** Called with the number of a source's drawers that have no vector, and so no line: no import takes it. */
    onIncomplete?: (missing: number) => void;
  },
): Generator<HeaderLine | BodyLine> {
  const { wing, made, onProgress, onIncomplete } = options;
  const { archive, forgetting, model, projects } = palace;
  yield {
    type: 'header',
    format: FORMAT,
    version: FORMAT_VERSION,
    model: formatModel(model),
    made,
    wing: wing ?? null,
  };
  const wanted = wing === undefined ? undefined : archive.projectsOf(wing);
  for (const { id, root, rootCommit, wing: home, folder } of projects.all())
    if (wanted === undefined || home === wing || wanted.has(id))
      yield { type: 'project', id, root, root_commit: rootCommit, wing: home, folder };
  for (const stone of forgetting.all()) {
    if (wing !== undefined && stone.wing !== wing) continue;
    yield {
      type: 'tombstone',
      source_key: stone.sourceKey,
      kind: stone.kind,
      wing: stone.wing,
      origin: stone.origin,
      session_id: stone.sessionId,
      project_id: stone.projectId,
      forgotten_at: stone.forgottenAt,
    };
  }
  const total = archive.count(wing);
  let done = 0;
  for (const source of archive.sources(wing)) {
    yield sourceOf(source, palace.sources);
    for (const text of archive.texts(source.id)) yield { type: 'text', source: source.sourceKey, text };
    let missing = source.drawers;
    for (const drawer of archive.drawers(source.id)) {
      yield drawerOf(source.sourceKey, drawer);
      missing -= 1;
    }
    if (missing > 0) onIncomplete?.(missing);
    yield { type: 'end', source: source.sourceKey, pieces: source.pieces, drawers: source.drawers };
    done += 1;
    onProgress?.(done, total);
  }
  for (const fact of palace.facts.all(wing)) yield { type: 'fact', ...factRowOf(fact) };
  yield { type: 'done', sources: done };
}

function sourceOf(source: ArchivedSource, sources: Palace['sources']): BodyLine {
  return {
    type: 'source',
    source_key: source.sourceKey,
    source_file: source.sourceFile,
    origin: source.origin,
    kind: source.kind,
    wing: source.wing,
    room: source.room,
    project_id: source.projectId,
    title: source.title,
    session_id: source.sessionId,
    directory: source.directory,
    ingest_mode: source.ingestMode,
    source_mtime: source.mtimeMs,
    bytes: source.bytes,
    hash: source.hash,
    versions: source.versions,
    content_date: source.contentDate,
    chars: source.chars,
    priority: source.priority,
    set_priority: source.setPriority,
    pinned: source.pinned === 1,
    filed_at: source.filedAt,
    place: source.place,
    messages: sources.messagesOf(source.id),
    turns: sources.turnsOf(source.id)?.map(({ role, start }) => [role, start]) ?? null,
  };
}

function drawerOf(source: string, drawer: ArchivedDrawer): BodyLine {
  return {
    type: 'drawer',
    source,
    drawer_id: drawer.drawerId,
    chunk_index: drawer.chunkIndex,
    char_start: drawer.start,
    char_end: drawer.end,
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
    role: drawer.role,
    context: drawer.context,
    added_by: drawer.addedBy,
    set_priority: drawer.setPriority,
    pinned: drawer.pinned === 1,
    filed_at: drawer.filedAt,
    text: drawer.text,
    vector_hash: drawer.vectorHash.toString('hex'),
    vector: drawer.embedding.toString('base64'),
  };
}
