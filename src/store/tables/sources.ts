import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { shortTitle } from '../../core/short-names.js';
import { DERIVED_KINDS, pathOfKey } from '../../core/source-key.js';
import { declaredTypeOf } from '../../core/source-type.js';
import { textKindOf } from '../../core/text-kind.js';
import { countMessages, TURN_ROLES, type TurnMark, type TurnRole } from '../../core/turns.js';
import { isStrings, parseStored, unreadable } from '../db/json.js';
import type {
  FiledConversation,
  FiledSource,
  Filing,
  RunStamp,
  SourceRecord,
  TextPiece,
} from '../db/records.js';
import type { Sql } from '../db/sql.js';

/** `FiledSource` as the columns of a query over `sources s`. */
export const SOURCE = `
  s.id, s.source_key AS sourceKey, s.source_file AS sourceFile, s.origin, s.kind, s.wing, s.room, s.project_id AS projectId,
  s.title, s.session_id AS sessionId, s.directory, s.source_mtime AS mtimeMs, s.bytes, s.hash, s.versions, s.chars,
  s.drawers, s.priority, s.priority_from AS priorityFrom, s.text_kind AS textKind, s.given_type AS givenType`;

/** Columns that each filing of a source sets. */
const FILED = `source_file, origin, kind, wing, room, project_id, title, session_id, directory, source_mtime, bytes, hash,
  versions, ingest_mode, messages, turns, priority, priority_from,
  text_kind, declared_type, given_type, run_id, filed_at`;
const NEW = FILED.replace(/\w+/g, 'excluded.$&');

export class Sources {
  constructor(private readonly sql: Sql) {}

  byKey(sourceKey: string): FiledSource | undefined {
    return this.sql.get<FiledSource>(`SELECT ${SOURCE} FROM sources s WHERE source_key = ?`, sourceKey);
  }

  /**
   * Those of these sources that are filed, by key. In one query: SQLite locks and unlocks the file for each, which takes
   * longer than reading the row.
   */
  byKeys(sourceKeys: readonly string[]): Map<string, FiledSource> {
    const rows = this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM json_each(?) wanted CROSS JOIN sources s ON s.source_key = wanted.value`,
      JSON.stringify(sourceKeys),
    );
    return byKey(rows);
  }

  /** By source key. */
  ofKind(kind: FiledSource['kind']): Map<string, FiledSource> {
    const rows = this.sql.all<FiledSource>(`SELECT ${SOURCE} FROM sources s WHERE kind = ?`, kind);
    return byKey(rows);
  }

  /** What decides whether a conversation has changed, by source key. A whole row takes four times as long to read. */
  conversations(): Map<string, FiledConversation> {
    const rows = this.sql.all<FiledConversation>(
      `SELECT source_key AS sourceKey, session_id AS sessionId, wing, source_mtime AS mtimeMs, hash, versions,
         directory FROM sources WHERE kind = 'conversation'`,
    );
    return byKey(rows);
  }

  /** In the order of their keys. */
  ofProject(projectId: string): FiledSource[] {
    return this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM sources s WHERE project_id = ? ORDER BY source_key`,
      projectId,
    );
  }

  /** Those whose key has this prefix, in the order of their keys. */
  below(prefix: string): FiledSource[] {
    return this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM sources s WHERE source_key >= @prefix AND source_key < @end ORDER BY source_key`,
      { prefix, end: `${prefix}\u{10ffff}` },
    );
  }

  /** Whether a checkpoint or a summary is filed. */
  anyDerived(): boolean {
    return DERIVED_KINDS.some((kind) =>
      this.sql.has('SELECT 1 FROM sources WHERE source_key >= @prefix AND source_key < @end LIMIT 1', {
        prefix: `${kind}:`,
        end: `${kind}:\u{10ffff}`,
      }),
    );
  }

  /** Ids of the messages in a filed transcript; empty for documents. */
  messagesOf(sourceId: number): string[] {
    const packed =
      this.sql.value<Buffer | null>('SELECT messages FROM sources WHERE id = ?', sourceId) ?? null;
    if (packed === null) return [];
    return parseStored(inflateRawSync(packed).toString('utf8'), 'list of messages', isStrings);
  }

  /** The same for all sources with this key prefix that have messages. */
  *messagesBelow(prefix: string): Generator<{ sourceKey: string; messages: string[] }> {
    const rows = this.sql.all<{ id: number; sourceKey: string }>(
      `SELECT id, source_key AS sourceKey FROM sources
         WHERE source_key >= @prefix AND source_key < @end AND messages IS NOT NULL ORDER BY source_key`,
      { prefix, end: `${prefix}\u{10ffff}` },
    );
    for (const { id, sourceKey } of rows) yield { sourceKey, messages: this.messagesOf(id) };
  }

  /** Undefined for documents, and for transcripts that an earlier version filed. */
  turnsOf(sourceId: number): TurnMark[] | undefined {
    const packed = this.#packedTurns(sourceId);
    return packed === undefined ? undefined : parseTurns(packed, () => this.messagesOf(sourceId));
  }

  /** Whether it contains turns that are no longer at its origin. Cheaper than `turnsOf`. */
  hasGone(sourceId: number): boolean {
    return this.#packedTurns(sourceId)?.includes(GONE) === true;
  }

  /** Number of messages that are no longer at its origin. */
  goneIn(sourceId: number): number {
    if (!this.hasGone(sourceId)) return 0;
    return countMessages((this.turnsOf(sourceId) ?? []).filter(({ gone }) => gone === true));
  }

  #packedTurns(sourceId: number): string | undefined {
    const packed = this.sql.value<Buffer | null>('SELECT turns FROM sources WHERE id = ?', sourceId) ?? null;
    return packed === null ? undefined : inflateRawSync(packed).toString('latin1');
  }

  /** The text of a source in pieces of about 256 KB, from the piece with a number. */
  *texts(sourceId: number, first = 0): Generator<string> {
    const next = 'SELECT seq, body FROM source_texts WHERE source_id = ? AND seq > ? ORDER BY seq LIMIT 1';
    const after = (seq: number) => this.sql.get<{ seq: number; body: Buffer }>(next, sourceId, seq);
    for (let row = after(first - 1); row !== undefined; row = after(row.seq))
      yield inflateRawSync(row.body).toString('utf8');
  }

  /** From one state of the palace. */
  textOf(sourceId: number): string {
    return this.sql.read(() => [...this.texts(sourceId)].join(''));
  }

  /**
   * Inserts or updates the row of a source. `summarise` sets `chars`, `drawers` and `content_date`. The user's priority
   * and pin stay.
   */
  put(
    { source, messages, turns, drafts }: Pick<Filing, 'source' | 'messages' | 'turns' | 'drafts'>,
    run: RunStamp,
  ): number {
    const id = this.sql.value<number>(
      `INSERT INTO sources(source_key, ${FILED}, chars, drawers)
         VALUES (@sourceKey, @sourceFile, @origin, @kind, @wing, @room, @projectId, @title, @sessionId,
           @directory, @mtimeMs, @bytes, @hash, @versions, @ingestMode, @messages, @turns, @priority,
           @priorityFrom, @textKind, @declaredType, @givenType, @runId, @now, 0, 0)
         ON CONFLICT(source_key) DO UPDATE SET (${FILED}) = (${NEW})
         RETURNING id`,
      {
        ...rowOf(source),
        ingestMode: source.ingestMode ?? (source.kind === 'conversation' ? 'convos' : 'docs'),
        messages: messages.length > 0 ? deflateRawSync(JSON.stringify(messages)) : null,
        ...kindsOf(source, drafts),
        turns: turns !== undefined && turns.length > 0 ? deflateRawSync(formatTurns(turns, messages)) : null,
        runId: run.id,
        now: run.now,
      },
    );
    return id as number;
  }

  /** Updates the place and time of a source, and its day if one is given; its text and drawers stay. */
  relocate(source: SourceRecord, day: string | undefined): void {
    this.sql.run(
      `UPDATE sources SET source_file = @sourceFile, origin = @origin, wing = @wing, room = @room,
           project_id = @projectId, title = @title, session_id = @sessionId, directory = @directory,
           source_mtime = @mtimeMs, bytes = @bytes, hash = @hash, priority = @priority,
           priority_from = @priorityFrom, given_type = @givenType, content_date = coalesce(@day, content_date)
         WHERE source_key = @sourceKey`,
      { ...rowOf(source), day: day ?? null },
    );
  }

  /**
   * Replaces the whole text of a source, writing only the pieces that differ.
   *
   * @param overwrite writes all pieces, as stored ones may not match their hashes
   */
  putText(sourceId: number, pieces: readonly TextPiece[], overwrite = false): void {
    const stored = this.sql.all<{ seq: number; hash: Buffer }>(
      'SELECT seq, hash FROM source_texts WHERE source_id = ?',
      sourceId,
    );
    const hashes = new Map(stored.map((row) => [row.seq, row.hash]));
    const write = `INSERT INTO source_texts(source_id, seq, hash, body) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET hash = excluded.hash, body = excluded.body`;
    pieces.forEach((piece, seq) => {
      if (overwrite || hashes.get(seq)?.equals(piece.hash) !== true)
        this.sql.run(write, sourceId, seq, piece.hash, piece.body);
    });
    this.sql.run('DELETE FROM source_texts WHERE source_id = ? AND seq >= ?', sourceId, pieces.length);
  }

  /** For a source that was checked and needs no change. */
  setVersions(sourceId: number, versions: string): void {
    this.sql.run('UPDATE sources SET versions = ? WHERE id = ?', versions, sourceId);
  }

  /** Stores counts with the source, so that `status` need not count drawers. */
  summarise(sourceId: number, { chars, activity }: Pick<Filing, 'chars' | 'activity'>): void {
    this.sql.run(
      `UPDATE sources SET chars = @chars, activity = @activity,
           drawers = (SELECT count(*) FROM drawers WHERE source_id = @sourceId),
           content_date = (SELECT max(content_date) FROM drawers WHERE source_id = @sourceId)
         WHERE id = @sourceId`,
      { sourceId, chars, activity: activity?.version ?? null },
    );
  }

  /** Its drawers must have been removed before. */
  remove(sourceId: number): void {
    this.sql.run('DELETE FROM source_texts WHERE source_id = ?', sourceId);
    this.sql.run('DELETE FROM sources WHERE id = ?', sourceId);
  }
}

/** What the text of a document says about it. */
function kindsOf({ kind, sourceKey }: SourceRecord, drafts: Filing['drafts']) {
  if (kind !== 'document') return { textKind: null, declaredType: null };
  const name = pathOfKey(sourceKey);
  // The drawers of a document are its whole text.
  const whole = drafts.map(({ text }) => text).join('');
  return { textKind: textKindOf(name, whole), declaredType: declaredTypeOf(name, whole) };
}

function byKey<Row extends { sourceKey: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.sourceKey, row]));
}

function rowOf(source: SourceRecord): Record<string, unknown> {
  const { place: _, parentKey: _parent, standsIn: _standsIn, ...row } = source;
  const title = source.title === null ? null : shortTitle(source.title);
  const { priority = null, priorityFrom = null, givenType = null } = source;
  return { ...row, title, priority, priorityFrom, givenType };
}

/** Letters in the column `turns`. */
const LETTERS: Record<TurnRole, string> = { user: 'u', assistant: 'a', call: 'c', result: 'r', note: 'n' };
const ROLES = new Map(TURN_ROLES.map((role) => [LETTERS[role], role]));

/** Marks a turn that is no longer in the source. */
const GONE = '!';

/**
 * A letter per turn, its distance from the previous one, the place of its message in the list of messages, and whether it
 * is gone: `n0u57.0a12.1!`. A few bytes per turn, compressed.
 */
function formatTurns(turns: readonly TurnMark[], messages: readonly string[]): string {
  const places = new Map(messages.map((message, place) => [message, place]));
  return turns
    .map(({ role, start, message = '', gone }, index) => {
      const place = places.get(message);
      const ofMessage = place === undefined ? '' : `.${place}`;
      return `${LETTERS[role]}${start - (turns[index - 1]?.start ?? 0)}${ofMessage}${gone === true ? GONE : ''}`;
    })
    .join('');
}

/** The first schema version with turns. */
export const TURNS_SINCE = 5;

/** @throws UserError `palace-damaged` */
function parseTurns(text: string, messagesOf: () => readonly string[]): TurnMark[] {
  if (!/^(?:[uacrn]\d+(?:\.\d+)?!?)*$/.test(text)) throw unreadable('list of turns', 'not a list of turns');
  const messages = text.includes('.') ? messagesOf() : [];
  let start = 0;
  return Array.from(text.matchAll(/(\D)(\d+)(?:\.(\d+))?(!?)/g), ([, letter = '', distance, place, gone]) => {
    start += Number(distance);
    const message = place === undefined ? undefined : messages[Number(place)];
    return {
      role: ROLES.get(letter) ?? 'note',
      start,
      ...(message === undefined ? {} : { message }),
      ...(gone === GONE ? { gone: true } : {}),
    };
  });
}
