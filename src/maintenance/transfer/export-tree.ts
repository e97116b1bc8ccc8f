import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { z } from 'zod';
import { dayOf } from '../../core/day.js';
import { isErrno, UserError } from '../../core/errors.js';
import { isMarkdown } from '../../core/front-matter.js';
import { moveIntoPlace } from '../../platform/atomic-write.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isOrphan } from '../../platform/process-alive.js';
import { transcriptLines, UNKNOWN_SPEAKERS } from '../../reading/index.js';
import type { ArchivedSource, Palace } from '../../store/index.js';

/** Maps source keys to files of the tree. A file that it does not name is never touched. */
const RECORD = '.mempalace-export.json';
const TEMPORARY = '.mempalace-tmp-';
const recordSchema = z.object({ version: z.literal(1), files: z.record(z.string(), z.string()) });

export interface ExportTreeOptions {
  palace: Palace;
  /** Absolute; created if missing. */
  folder: string;
  wing?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes each source as `<wing>/<room>/<name>.md`: its whole text below YAML front matter, conversations by speaker.
 * A source keeps its file from export to export. Files that no export wrote are never touched.
 *
 * @returns `removed`: files of earlier exports whose source is gone
 * @throws UserError `failed` when a folder of the tree is a link or a file
 */
export async function exportTree(options: ExportTreeOptions): Promise<{ written: number; removed: number }> {
  const { palace, folder, wing } = options;
  makeFolder(folder);
  const tree = new Tree(folder);
  const { stringify } = await import('yaml');
  const total = palace.archive.count(wing);
  let written = 0;
  await palace.archive.during(async () => {
    // Recorded before writing: after a kill or on a full disk every file is still known as ours.
    for (const source of palace.archive.sources(wing)) tree.pathFor(source);
    tree.save();
    for (const source of palace.archive.sources(wing)) {
      options.signal?.throwIfAborted();
      const front = stringify(frontMatter(source), { lineWidth: 0 });
      tree.write(source, front, bodyOf(source, palace));
      written += 1;
      options.onProgress?.(written, total);
    }
  });
  const removed = tree.removeOthers((key, path) => {
    if (wing === undefined) return true;
    // Two wings may have one folder.
    const now = palace.sources.byKey(key)?.wing ?? wing;
    return path.startsWith(`${safeName(wing)}/`) && (now === wing || safeName(now) !== safeName(wing));
  });
  tree.save();
  return { written, removed };
}

/** A document unchanged; a conversation as block quotes below a heading per speaker. */
function* bodyOf({ id, kind }: ArchivedSource, palace: Palace): Generator<string> {
  const texts = palace.sources.texts(id);
  if (kind === 'document') {
    yield* texts;
    return;
  }
  const turns = palace.sources.turnsOf(id);
  if (turns === undefined) yield `## ${UNKNOWN_SPEAKERS}\n\n`;
  for (const row of transcriptLines(texts, turns ?? [], palace.reading.datesOf(id))) {
    if (row.kind === 'speaker')
      yield `\n## ${row.speaker}${row.date === undefined ? '' : ` (${row.date})`}\n\n`;
    else for (const part of row.text.split(LINE_BREAK)) yield part === '' ? '>\n' : `> ${part}\n`;
  }
}

/** Line breaks that only some programs recognise: the quote mark is repeated after each. */
const LINE_BREAK = /\r|[\u0085\u2028\u2029\u000b\u000c]/;

class Tree {
  readonly #folder: string;
  /** Relative path by source key. */
  readonly #files: Map<string, string>;
  readonly #taken = new Set<string>();
  readonly #written = new Set<string>();
  /** Folders that are known to be real folders, not links. */
  readonly #checked = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = new Map(Object.entries(readRecord(join(folder, RECORD))));
    for (const path of this.#files.values()) this.#taken.add(foldName(path));
  }

  write(source: ArchivedSource, front: string, texts: Iterable<string>): void {
    const path = this.pathFor(source);
    const file = join(this.#folder, path);
    const temporary = join(dirname(file), `${TEMPORARY}${process.pid}`);
    rmSync(temporary, { force: true });
    try {
      const descriptor = openSync(temporary, 'wx', 0o600);
      try {
        writeFileSync(descriptor, `---\n${front}---\n\n`);
        for (const text of texts) writeFileSync(descriptor, text);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
    this.#written.add(source.sourceKey);
  }

  /** Removes the files of sources that are wanted but were not written. */
  removeOthers(wanted: (key: string, path: string) => boolean): number {
    let removed = 0;
    for (const [key, path] of this.#files) {
      if (this.#written.has(key) || !wanted(key, path)) continue;
      this.#removeFile(path);
      this.#files.delete(key);
      removed += 1;
    }
    return removed;
  }

  save(): void {
    const files = Object.fromEntries([...this.#files].sort(([a], [b]) => (a < b ? -1 : 1)));
    const record = join(this.#folder, RECORD);
    const temporary = `${record}.tmp`;
    rmSync(temporary, { force: true });
    writeFileSync(temporary, `${JSON.stringify({ version: 1, files })}\n`, { flag: 'wx', mode: 0o600 });
    moveIntoPlace(temporary, record);
  }

  /** The relative path of a source's file: the previous one if it still fits, else the first free name. Makes its folders. */
  pathFor(source: ArchivedSource): string {
    const wing = safeName(source.wing);
    const place = `${wing}/${safeName(source.room)}`;
    for (const folder of [wing, place]) this.#ensure(join(this.#folder, folder));
    const name = nameOf(source);
    const before = this.#files.get(source.sourceKey);
    if (before !== undefined) {
      const wanted = `${place}/${name}`;
      if (before === `${wanted}.md` || before.replace(/ \(\d+\)\.md$/, '') === wanted) return before;
      this.#removeFile(before);
    }
    for (let number = 1; ; number += 1) {
      const path = `${place}/${number === 1 ? name : `${name} (${number})`}.md`;
      const exists = lstatSync(join(this.#folder, path), { throwIfNoEntry: false }) !== undefined;
      if (this.#taken.has(foldName(path)) || exists) continue;
      this.#taken.add(foldName(path));
      this.#files.set(source.sourceKey, path);
      return path;
    }
  }

  #removeFile(path: string): void {
    const file = join(this.#folder, path);
    // A record may have been edited: a file behind a link in the tree is not ours.
    const isReal = (folder: string) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isReal(dirname(dirname(file))) || !isReal(dirname(file))) return;
    rmSync(file, { force: true });
    this.#taken.delete(foldName(path));
  }

  #ensure(folder: string): void {
    if (this.#checked.has(folder)) return;
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    if (!lstatSync(folder).isDirectory()) {
      throw new UserError('failed', `nothing is written through ${folder}: it is a link or a file`, {
        hint: 'export to another folder',
      });
    }
    // Left by a killed export.
    for (const name of readdirSync(folder))
      if (isOrphan(name, TEMPORARY)) rmSync(join(folder, name), { force: true });
    this.#checked.add(folder);
  }
}

/** Documents by their file, conversations by day and title. */
function nameOf(source: ArchivedSource): string {
  if (source.kind === 'document') {
    const file = basename(source.sourceFile);
    return safeName(isMarkdown(file) ? file.slice(0, -extname(file).length) : file);
  }
  const day = dayOf(source.mtimeMs);
  return safeName(`${source.contentDate ?? day} ${source.title ?? source.sessionId ?? ''}`);
}

function frontMatter(source: ArchivedSource): Record<string, unknown> {
  const { setPriority, priority } = source;
  const all = {
    title: source.title,
    wing: source.wing,
    room: source.room,
    kind: source.kind,
    source_key: source.sourceKey,
    source_file: source.sourceFile,
    origin: source.origin,
    session_id: source.sessionId,
    directory: source.directory,
    content_date: source.contentDate,
    source_mtime: new Date(source.mtimeMs).toISOString(),
    priority: setPriority ?? priority,
    pinned: source.pinned === 1 ? true : null,
    drawers: source.drawers,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Whether `write` could have made this path: three safe names. */
function isOurs(path: string): boolean {
  const names = path.split('/');
  return names.length === 3 && names.every((name) => safeName(name) === name) && path.endsWith('.md');
}

function readRecord(file: string): Record<string, string> {
  try {
    if (!lstatSync(file).isFile()) return {};
    const { files } = recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return Object.fromEntries(Object.entries(files).filter(([, path]) => isOurs(path)));
  } catch {
    return {};
  }
}

/** Device names of Windows, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Most file systems allow 255 bytes; the rest is for a number, an extension and a temporary suffix. */
const MAX_BYTES = 150;

/**
 * A file name that is valid on every file system: no separator, control character or character that Windows refuses;
 * not hidden, not too long, never empty.
 */
export function safeName(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '_');
  const start = Buffer.from(clean).subarray(0, MAX_BYTES);
  // `stream` leaves out a character that was cut off.
  const name = new TextDecoder().decode(start, { stream: true }).replace(/[. ]+$/, '');
  if (name === '') return '_';
  return DEVICE.test(name) ? `_${name}` : name;
}

/** The same for two names that some file system treats as equal. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
