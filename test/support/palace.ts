import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DrawerDraft, type Filing, Palace, palaceFile } from '../../src/store/index.js';
import { afterTest, removeFolder } from './cleanups.js';

export const TINY_MODEL = { id: 'tiny', revision: '1', dimension: 8 };

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mempalace-test-'));
  afterTest(() => removeFolder(folder));
  return folder;
}

/** The file of a palace in which nothing is filed, made once per process: a copy takes a third of the time. */
let empty: string | undefined;

function emptyPalace(): string {
  if (empty === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'mempalace-test-'));
    Palace.write(folder, TINY_MODEL).close();
    empty = palaceFile(folder);
  }
  return empty;
}

/** A palace in a new folder, or the one in `folder`; it is closed after the test. */
export function temporaryPalace(folder?: string): Palace {
  const place = folder ?? join(temporaryFolder(), 'palace');
  if (folder === undefined) {
    mkdirSync(place, { mode: 0o700 });
    copyFileSync(emptyPalace(), palaceFile(place));
  }
  const palace = Palace.write(place, TINY_MODEL);
  afterTest(() => palace.close());
  return palace;
}

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A unit vector that depends only on the text. */
export function vectorOf(text: string): Float32Array {
  const bytes = hashOf(text);
  const vector = Float32Array.from({ length: 8 }, (_, i) => (bytes[i] ?? 0) - 127.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

function draftsOf(texts: readonly string[], contentDate: string): DrawerDraft[] {
  let at = 0;
  return texts.map((text, index) => {
    const draft = {
      text,
      vectorHash: hashOf(text),
      start: at,
      end: at + text.length,
      lineStart: index + 1,
      lineEnd: index + 1,
      context: '',
      contentDate,
      role: null,
    };
    at += text.length;
    return draft;
  });
}

export function filingOf(
  sourceKey: string,
  texts: readonly string[],
  changes: Partial<Filing['source']> = {},
  contentDate = '2026-01-02',
): Filing {
  const whole = texts.join('');
  return {
    source: {
      sourceKey,
      sourceFile: `mempalace-docs/wing_a/p/${sourceKey}`,
      origin: `/p/${sourceKey}`,
      kind: 'document',
      wing: 'wing_a',
      room: 'general',
      projectId: null,
      title: null,
      sessionId: null,
      directory: null,
      mtimeMs: 1000,
      bytes: whole.length,
      hash: hashOf(whole).toString('hex'),
      versions: 'v1',
      place: sourceKey,
      ...changes,
    },
    messages: [],
    pieces: [],
    drafts: draftsOf(texts, contentDate),
    chars: whole.length,
    addedBy: 'test',
    refreshVectors: false,
  };
}

/** Stores the vectors of the texts and files the source. */
export function fileTexts(palace: Palace, sourceKey: string, texts: readonly string[], ...others: Others) {
  palace.vectors.keep(
    texts.map((text) => ({ hash: hashOf(text), embedding: vectorOf(text) })),
    palace.model,
  );
  return fileUnembedded(palace, sourceKey, texts, ...others);
}

type Others = [changes?: Partial<Filing['source']>, contentDate?: string];

/** Files the source, as the miner does: its new texts have no vector. */
export function fileUnembedded(
  palace: Palace,
  sourceKey: string,
  texts: readonly string[],
  ...[changes, contentDate]: Others
) {
  return palace.file(filingOf(sourceKey, texts, changes, contentDate), stampOf(palace));
}

/** The stamp of a new run. */
export function stampOf(palace: Palace) {
  const id = palace.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  return { id, now: '2026-01-02T03:04:05.000Z' };
}
