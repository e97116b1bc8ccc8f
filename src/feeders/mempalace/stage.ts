import { extname, join } from 'node:path';
import type { Batch, Skipped, StagedSource } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import { parseSourceKey } from '../../core/source-key.js';
import { cleanPath, type Sanitiser, type Scope } from '../../sanitiser/index.js';
import { openStaging, type Staging } from '../staging/staging.js';
import type { Group } from './group.js';
import { joinPieces } from './join.js';
import { explainChroma } from './open.js';
import { textOf } from './rows.js';
import type { ChromaSurvey } from './survey.js';

const STAGING_ROOT = 'mempalace-import';
/** Increase it when the same rows give another text. Everything is then imported again. */
const IMPORTER_VERSION = 1;
const NAME_CHARS = 50;

export interface ImportOptions {
  sanitiser: Sanitiser;
  /** Source keys and paths that are not filed. */
  forgotten: ReadonlySet<string>;
  /** Key of the source that a feeder filed from this path. */
  filedFrom: (origin: string) => string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface StageOptions extends ImportOptions {
  /** The cache root: texts are staged below `<cache>/mempalace-import/<wing>`. */
  cache: string;
  command: string;
  waitMs: number;
}

/**
 * Stages the drawers of a palace of MemPalace. Returns a batch per wing.
 *
 * @throws UserError `unreadable`, `locked` when another run has locked a wing, `interrupted`
 */
export async function stageChroma(survey: ChromaSurvey, options: StageOptions): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (const wing of wingsOf(survey)) {
    const staging = await openStaging({
      folder: join(options.cache, STAGING_ROOT, wing),
      sourceFilePrefix: `${STAGING_ROOT}/${wing}`,
      command: options.command,
      waitMs: options.waitMs,
      signal: options.signal,
    });
    try {
      const batch = await batchOf(survey, wing, options, (source, text) => put(staging, source, text));
      const { forgotten } = options;
      staging.sweep(({ sourceKey, origin }) => !forgotten.has(sourceKey) && !forgotten.has(origin));
      const { sources: _, ...rest } = batch;
      await staging.save(rest);
      batches.push(batch);
    } finally {
      staging.close();
    }
  }
  return batches;
}

/** The batches that staging would make. Nothing is written. */
export async function wouldBeBatches(survey: ChromaSurvey, options: ImportOptions): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (const wing of wingsOf(survey))
    batches.push(await batchOf(survey, wing, options, async (each) => each));
  return batches;
}

function wingsOf({ groups }: ChromaSurvey): string[] {
  return [...new Set(groups.map(({ wing }) => wing))].sort();
}

async function batchOf(
  survey: ChromaSurvey,
  wing: string,
  options: ImportOptions,
  place: (source: StagedSource, text: ImportedText) => Promise<StagedSource>,
): Promise<Batch> {
  const { signal, forgotten, filedFrom, onProgress } = options;
  const batch: Batch & { contained: NonNullable<Batch['contained']> } = {
    sources: [],
    skipped: [],
    contained: [],
  };
  for (const [index, each] of survey.groups.entries()) {
    if (each.wing !== wing) continue;
    signal?.throwIfAborted();
    const group = await withCleanNames(each, options.sanitiser);
    onProgress?.(index + 1, survey.groups.length);
    const { sourceKey, origin } = group;
    const own = filedFrom(origin);
    if (forgotten.has(sourceKey) || forgotten.has(origin)) {
      batch.skipped.push({ origin, reason: 'forgotten' });
    } else if (own !== undefined) {
      batch.skipped.push({ origin, reason: 'filed from its own file' });
      batch.contained.push({ sourceKey, standsIn: [own] });
    } else {
      const scope = options.sanitiser.scope();
      if (group.title !== undefined) await scope.learn(group.title);
      const text = await textFrom(survey, group, scope, batch.skipped);
      if (text !== undefined)
        batch.sources.push(await place(await sourceOf(survey, group, text, scope), text));
    }
  }
  return batch;
}

async function withCleanNames(group: Group, sanitiser: Sanitiser): Promise<Group> {
  return {
    ...group,
    sourceKey: await cleanPath(group.sourceKey, sanitiser),
    origin: await cleanPath(group.origin, sanitiser),
    room: (await sanitiser.clean(group.room)).text,
  };
}

async function textFrom(
  { database, file }: ChromaSurvey,
  group: Group,
  scope: Scope,
  skipped: Skipped[],
): Promise<ImportedText | undefined> {
  let text: ImportedText;
  try {
    text = await importedText(database, group, scope);
  } catch (error) {
    const detail = explainChroma(error, file).message;
    skipped.push({ origin: group.origin, reason: 'unreadable', detail, problem: true });
    return undefined;
  }
  for (const { id, why } of text.missing)
    skipped.push({ origin: group.origin, reason: why, detail: id, problem: true });
  if (text.content.trim() !== '') return text;
  if (text.missing.length === 0) skipped.push({ origin: group.origin, reason: 'empty' });
  return undefined;
}

async function sourceOf(
  { problems }: ChromaSurvey,
  group: Group,
  text: ImportedText,
  scope: Scope,
): Promise<StagedSource> {
  const { sourceKey, origin, wing, room, mtimeMs, contentDate } = group;
  const { content, redacted, aliases, missing } = text;
  // An unreadable row may belong to any source.
  const unparsedRows = missing.length + problems.length;
  const title = group.title === undefined ? undefined : (await scope.clean(group.title)).text;
  const name = stagedName(sourceKey);
  return {
    path: name,
    sourceKey,
    sourceFile: `${STAGING_ROOT}/${wing}/${name}`,
    origin,
    kind: 'document',
    wing,
    room,
    mtimeMs,
    ...(title === undefined ? {} : { title }),
    ...(contentDate === undefined ? {} : { contentDate }),
    bytes: Buffer.byteLength(content),
    hash: sha256(content),
    madeBy: `import-chroma ${IMPORTER_VERSION}, sanitiser ${scope.version}`,
    ...(Object.keys(redacted).length > 0 ? { redacted } : {}),
    ...(unparsedRows > 0 ? { unparsedRows } : {}),
    aliases,
  };
}

/** A readable name that is safe on every file system, and unique. */
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

async function put(staging: Staging, source: StagedSource, { content }: ImportedText): Promise<StagedSource> {
  const known = staging.entry(source.sourceKey);
  const same = known?.hash === source.hash && known.mtimeMs === source.mtimeMs;
  const file = same
    ? { path: known.path, sourceFile: known.sourceFile }
    : await staging.write(source.path, content, source.mtimeMs);
  const placed = { ...source, path: file.path, sourceFile: file.sourceFile };
  staging.put({ ...placed, fingerprint: '-' });
  return placed;
}

interface ImportedText {
  content: string;
  redacted: Record<string, number>;
  /** `<MemPalace's id>@<offset of its text>`. */
  aliases: string[];
  /** Drawers whose text is not included. */
  missing: { id: string; why: string }[];
}

/** Of a source, in UTF-16 units. Files of MemPalace are far smaller. */
const LONGEST = 128 * 1024 * 1024;
/** Shorter lines occur too often to locate a piece, in characters. */
const DISTINCTIVE_LINE = 12;

/** Joins a group's texts, then redacts: a secret may be cut between two drawers. */
async function importedText(
  database: ChromaSurvey['database'],
  group: Group,
  scope: Scope,
): Promise<ImportedText> {
  const missing: ImportedText['missing'] = [];
  const pieces: { id: string; text: string }[] = [];
  let length = 0;
  for (const { id, row } of group.drawers) {
    const found = textOf(database, row);
    if ('why' in found) missing.push({ id, why: found.why });
    else if (length + found.text.length > LONGEST) missing.push({ id, why: 'source over 128 MB' });
    else {
      length += found.text.length;
      pieces.push({ id, text: found.text.replace(/\p{Surrogate}|\0/gu, '\ufffd') });
    }
  }
  const texts = pieces.map(({ text }) => text);
  const { text, starts } = joinPieces(texts, group.sliced);
  const { text: content, redacted } = await scope.clean(text);
  const places = content === text ? starts : placesIn(content, texts);
  const aliases = pieces.map(({ id }, index) => `${id}@${places[index] ?? 0}`);
  if (group.parent !== undefined) aliases.unshift(`${group.parent}@0`);
  return { content, redacted, aliases, missing };
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
