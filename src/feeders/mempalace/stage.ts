import { extname } from 'node:path';
import type { Batch, Skipped, StagedSource } from '../../core/contract.js';
import { messageOf } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { parseSourceKey } from '../../core/source-key.js';
import { isSqliteError } from '../../platform/sqlite.js';
import { cleanPath, type Sanitiser } from '../../sanitiser/index.js';
import type { Staging } from '../staging/staging.js';
import { StagedWings, type WingsOptions } from '../staging/wings.js';
import type { Group } from './group.js';
import { joinPieces } from './join.js';
import { textOf } from './rows.js';
import type { ChromaSurvey } from './survey.js';

const STAGING_ROOT = 'mempalace-import';
/** Increase it when the same rows give another text. Everything is then imported again. */
const IMPORTER_VERSION = 1;
const NAME_CHARS = 50;
/** Of a source, in UTF-16 units. Files of MemPalace are far smaller. */
const LONGEST = 128 * 1024 * 1024;
/** Shorter lines occur too often to locate a piece, in characters. */
const DISTINCTIVE_LINE = 12;

interface ImportOptions {
  sanitiser: Sanitiser;
  /** Source keys and paths that are not filed. */
  forgotten: ReadonlySet<string>;
  /** Key of the source that a feeder filed from this path. */
  filedFrom: (origin: string) => string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Stages the drawers of a palace of MemPalace below `<cache>/mempalace-import/<wing>`. Returns a batch per wing.
 *
 * @throws UserError `unreadable`, `locked` when another run has locked a wing, `interrupted`
 */
export async function stageChroma(
  survey: ChromaSurvey,
  options: ImportOptions & Omit<WingsOptions, 'root'>,
): Promise<Batch[]> {
  const wings = new StagedWings({ ...options, root: STAGING_ROOT });
  const names = new Set(survey.groups.map(({ wing }) => wing));
  return wings.stage(names, [], async () => void (await importGroups(survey, options, wings)));
}

/** The batch that staging would make, of all wings. Nothing is written. */
export async function wouldBeBatch(survey: ChromaSurvey, options: ImportOptions): Promise<Batch> {
  const batch = await importGroups(survey, options, undefined);
  batch.sources.sort((a, b) => (a.wing < b.wing ? -1 : Number(a.wing > b.wing)));
  return batch;
}

/** Adds each group to the batch of its wing; without wings, to one batch, which is returned. */
async function importGroups(
  survey: ChromaSurvey,
  { sanitiser, forgotten, filedFrom, signal, onProgress }: ImportOptions,
  wings: StagedWings | undefined,
): Promise<Batch> {
  const all: Batch = { sources: [], skipped: [] };
  for (const [index, given] of survey.groups.entries()) {
    signal?.throwIfAborted();
    onProgress?.(index + 1, survey.groups.length);
    const sourceKey = await cleanPath(given.sourceKey, sanitiser);
    const origin = await cleanPath(given.origin, sanitiser);
    const batch = wings?.batch(given.wing) ?? all;
    const own = filedFrom(origin);
    if (forgotten.has(sourceKey) || forgotten.has(origin)) {
      batch.skipped.push({ origin, reason: 'forgotten' });
      wings?.drop(sourceKey);
    } else if (own !== undefined) {
      batch.skipped.push({ origin, reason: 'filed from its own file' });
      batch.contained ??= [];
      batch.contained.push({ sourceKey, standsIn: [own] });
    } else {
      const group = { ...given, sourceKey, origin };
      const made = await sourceOf(survey, group, sanitiser, batch.skipped);
      if (made === undefined) continue;
      const { source, content } = made;
      batch.sources.push(
        wings === undefined ? source : await put(wings.staging(group.wing), source, content),
      );
    }
  }
  return all;
}

async function put(staging: Staging, source: StagedSource, content: string): Promise<StagedSource> {
  const known = staging.entry(source.sourceKey);
  const isSame = known?.hash === source.hash && known.mtimeMs === source.mtimeMs;
  const file = isSame ? known : await staging.write(source.path, content, source.mtimeMs);
  const placed = { ...source, path: file.path, sourceFile: file.sourceFile };
  staging.put({ ...placed, fingerprint: '-' });
  return placed;
}

/** Joins a group's texts, then redacts: a secret may be cut between two drawers. Undefined without a text. */
async function sourceOf(
  { database, problems }: ChromaSurvey,
  group: Group,
  sanitiser: Sanitiser,
  skipped: Skipped[],
): Promise<{ source: StagedSource; content: string } | undefined> {
  const { sourceKey, origin, wing, mtimeMs, contentDate, title = '' } = group;
  let read: ReturnType<typeof piecesOf>;
  try {
    read = piecesOf(database, group);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    skipped.push({ origin, reason: 'unreadable', detail: messageOf(error), problem: true });
    return undefined;
  }
  const { pieces, missing } = read;
  for (const { id: detail, why: reason } of missing) skipped.push({ origin, reason, detail, problem: true });
  const scope = sanitiser.scope();
  await scope.learn(title);
  const texts = pieces.map(({ text }) => text);
  const joined = joinPieces(texts, group.sliced);
  const { text: content, redacted } = await scope.clean(joined.text);
  if (content.trim() === '') {
    if (missing.length === 0) skipped.push({ origin, reason: 'empty' });
    return undefined;
  }
  const starts = content === joined.text ? joined.starts : placesIn(content, texts);
  const aliases = pieces.map(({ id }, index) => `${id}@${starts[index] ?? 0}`);
  if (group.parent !== undefined) aliases.unshift(`${group.parent}@0`);
  // An unreadable row may belong to any source.
  const unparsedRows = missing.length + problems.length;
  const path = stagedName(sourceKey);
  const source: StagedSource = {
    path,
    sourceKey,
    sourceFile: `${STAGING_ROOT}/${wing}/${path}`,
    origin,
    kind: 'document',
    wing,
    room: (await sanitiser.clean(group.room)).text,
    mtimeMs,
    title: (await scope.clean(title)).text || undefined,
    contentDate,
    bytes: Buffer.byteLength(content),
    hash: sha256(content),
    madeBy: `import-chroma ${IMPORTER_VERSION}, sanitiser ${scope.version}`,
    redacted: Object.keys(redacted).length > 0 ? redacted : undefined,
    unparsedRows: unparsedRows > 0 ? unparsedRows : undefined,
    aliases,
  };
  return { source, content };
}

/** @throws SqliteError */
function piecesOf(database: ChromaSurvey['database'], { drawers }: Group) {
  const missing: { id: string; why: string }[] = [];
  const pieces: { id: string; text: string }[] = [];
  let length = 0;
  for (const { id, row } of drawers) {
    const found = textOf(database, row);
    if ('why' in found) missing.push({ id, why: found.why });
    else if (length + found.text.length > LONGEST) missing.push({ id, why: 'source over 128 MB' });
    else {
      length += found.text.length;
      pieces.push({ id, text: found.text.replace(/\p{Surrogate}|\0/gu, '\ufffd') });
    }
  }
  return { pieces, missing };
}

/** Unique, and safe on every file system. */
function stagedName(sourceKey: string): string {
  const { owner, name = '' } = parseSourceKey(sourceKey);
  const digits = owner.slice(0, 12);
  const extension = /^\.[A-Za-z0-9]{1,8}$/.test(extname(name)) ? extname(name) : '.txt';
  const stem = name
    .slice(0, name.length - extname(name).length)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .slice(0, NAME_CHARS);
  return `${digits}-${stem}${extension}`;
}

/** Approximate offsets of the pieces in a redacted text. */
function placesIn(content: string, pieces: readonly string[]): number[] {
  let at = 0;
  return pieces.map((piece) => {
    const lines = piece.split('\n').filter((line) => line.trim().length >= DISTINCTIVE_LINE);
    for (const line of [piece, ...lines]) {
      const found = content.indexOf(line, at);
      if (found < 0) continue;
      at = found;
      break;
    }
    return at;
  });
}
