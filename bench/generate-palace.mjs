/**
 * Fills a palace with many drawers for search. Embedding them all takes too long for a bench: some passages
 * are embedded by the product, the other drawers are those passages reworded, with their vector rotated a
 * little (random vectors would mislead: they have no near neighbours). Rows are inserted by plain SQL, which takes a
 * tenth of the store's time; the triggers fill the lexical index, the store makes the codes.
 *
 *   node bench/generate-palace.mjs --out FOLDER --drawers 100000 --embedded 10000 [--cache FOLDER]
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { shownText } from '../dist/embedding/text.js';
import { Palace, palaceFile } from '../dist/store/index.js';
import { basePassages } from './support/base-passages.mjs';
import { reworded } from './support/passages.mjs';
import { title } from './support/prose.mjs';
import { createRandom } from './support/random.mjs';
import { PROJECTS } from './support/vocabulary.mjs';

const DRAWERS_PER_SOURCE = 25;
const SOURCES_TOGETHER = 400;
const WINGS = 10;
/** Contents are spread over this number of days (the step is coprime to it). */
const DAYS = 700;
const DAY_STEP = 297;
const FIRST_DAY = Date.UTC(2024, 0, 1);
/** Every fifth source is a document. */
const DOCUMENTS = 5;
/**
 * Share of its origin's deviation from the mean that a derived vector keeps, evenly distributed: cosines to the
 * origin of about 0.78 to 0.97.
 */
const KEPT = [0.1, 0.9];
/** Number of vectors that are mixed into a derived one. */
const MIXED = 8;
const NOW = '2026-01-05T08:00:00.000Z';

const sha256 = (data) => createHash('sha256').update(data).digest();

/**
 * Makes vectors near given ones, of length 1. Embeddings of technical text are close together around their
 * mean; noise in all directions would pull them apart. So only the deviation from the mean is changed,
 * by a mixture of other deviations: mean and spread stay those of the given vectors.
 */
function mixer(random, vectors) {
  const mean = new Float32Array(vectors[0].length);
  for (const vector of vectors) {
    for (let i = 0; i < mean.length; i += 1) mean[i] += vector[i] / vectors.length;
  }
  return (vector) => {
    const mixed = new Float32Array(vector.length);
    for (let part = 0; part < MIXED; part += 1) {
      const other = random.pick(vectors);
      const weight = gaussian(random);
      for (let i = 0; i < mixed.length; i += 1) mixed[i] += weight * (other[i] - mean[i]);
    }
    const own = vector.map((value, i) => value - mean[i]);
    const kept = KEPT[0] + (KEPT[1] - KEPT[0]) * random.next();
    const scale = (Math.sqrt(1 - kept ** 2) * lengthOf(own)) / Math.max(lengthOf(mixed), 1e-9);
    const moved = own.map((value, i) => mean[i] + kept * value + scale * mixed[i]);
    const length = lengthOf(moved);
    return moved.map((value) => value / length);
  };
}

const gaussian = (random) =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

function lengthOf(vector) {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}

const dayOf = (index) =>
  new Date(FIRST_DAY + ((index * DAY_STEP) % DAYS) * 86_400_000).toISOString().slice(0, 10);

function sourceRow(random, index, texts) {
  const whole = texts.join('\n\n');
  const project = PROJECTS[Math.floor(index / (DOCUMENTS * WINGS)) % PROJECTS.length];
  const wing = `wing_${Math.floor(index / DOCUMENTS) % WINGS}`;
  const document = index % DOCUMENTS === DOCUMENTS - 1;
  const directory = `/home/dev/proj/${project}`;
  const path = `docs/${index}.md`;
  return {
    key: document ? `${wing}/${path}` : `opencode:ses_${index}`,
    file: document ? `${project}/${path}` : `mempalace-session/wing_conversations/${index}.jsonl`,
    origin: document ? `${directory}/${path}` : `opencode://ses_${index}`,
    kind: document ? 'document' : 'conversation',
    wing,
    room: project,
    title: title(random),
    session: document ? null : `ses_${index}`,
    directory: document ? null : directory,
    mtime: Date.parse(dayOf(index)),
    bytes: Buffer.byteLength(whole),
    hash: sha256(whole).toString('hex'),
    mode: document ? 'docs' : 'convos',
    date: dayOf(index),
    chars: whole.length,
    drawers: texts.length,
    place: document ? path : directory,
    whole,
  };
}

const INSERT_SOURCE = `
  INSERT INTO sources(source_key, source_file, origin, kind, wing, room, title, session_id, directory, source_mtime,
    bytes, hash, versions, ingest_mode, content_date, chars, drawers, run_id, filed_at)
  VALUES (@key, @file, @origin, @kind, @wing, @room, @title, @session, @directory, @mtime,
    @bytes, @hash, 'bench', @mode, @date, @chars, @drawers, @run, '${NOW}')`;
const INSERT_DRAWER = `
  INSERT INTO drawers(drawer_id, source_id, vector_id, chunk_index, char_start, char_end, line_start, line_end,
    content_date, role, added_by, run_id, filed_at, text, title, context, place)
  VALUES (@id, @source, @vector, @index, @start, @end, @line, @lastLine,
    @date, 'assistant', 'bench', @run, '${NOW}', @text, @title, '', @place)`;

/** Writes one source after the other into an open palace. */
function writer(db, run, random, model) {
  const [source, piece, drawer, vector, embedding] = [
    INSERT_SOURCE,
    'INSERT INTO source_texts(source_id, seq, hash, body) VALUES (?, 0, ?, ?)',
    INSERT_DRAWER,
    'INSERT INTO vectors(text_hash) VALUES (?)',
    'INSERT INTO embeddings(vector_id, embedding) VALUES (?, ?)',
  ].map((sql) => db.prepare(sql));
  return (index, filed) => {
    const { place, whole, ...row } = sourceRow(
      random,
      index,
      filed.map(({ text }) => text),
    );
    const sourceId = source.run({ ...row, run }).lastInsertRowid;
    piece.run(sourceId, Buffer.from(row.hash, 'hex'), deflateRawSync(whole));
    let [start, line] = [0, 1];
    for (const [at, { text, numbers }] of filed.entries()) {
      const vectorId = vector.run(sha256(model.prefixes.passage + shownText(text))).lastInsertRowid;
      embedding.run(vectorId, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      const lastLine = line + text.split('\n').length - 1;
      drawer.run({
        id: `drawer_${sha256(`${row.key} ${text}`).toString('hex').slice(0, 24)}`,
        source: sourceId,
        vector: vectorId,
        index: at,
        start,
        end: start + text.length,
        line,
        lastLine,
        date: row.date,
        run,
        text,
        title: row.title,
        place,
      });
      start += text.length + 2;
      line = lastLine + 2;
    }
  };
}

/** Generates different drawers: the passages themselves, then reworded ones. */
function drawersOf(random, { texts, vectors, names }) {
  const near = mixer(random, vectors);
  const seen = new Set(texts.map((text) => sha256(text).toString('latin1')));
  return (index) => {
    if (index < texts.length) return { text: texts[index], numbers: vectors[index] };
    const from = random.between(0, texts.length - 1);
    let [text, hash] = [texts[from], ''];
    do {
      text = reworded(random, names, text);
      hash = sha256(text).toString('latin1');
    } while (seen.has(hash));
    seen.add(hash);
    return { text, numbers: near(vectors[from]) };
  };
}

/**
 * Writes a palace of `drawers` drawers into the new folder `out`; `embedded` of their texts are embedded, or
 * taken from the folder `cache`. The same rows from the same seed; vectors follow the machine's floating point.
 */
export async function generatePalace({ out, drawers, embedded, cache, seed = 1 }) {
  const folder = resolve(out);
  if (existsSync(folder)) throw new Error(`${folder} exists already`);
  const base = await basePassages({ count: Math.min(embedded, drawers), seed, cache });
  const palace = Palace.write(folder, base.model);
  try {
    const run = palace.runs.begin({
      command: 'bench',
      scope: '',
      narrowed: false,
      versions: {},
      startedMs: 1,
    });
    fill(palaceFile(folder), run, drawers, base, createRandom(seed + 1));
    palace.vectors.codes.rebuild();
    palace.runs.end(run, { exitCode: 0, counts: {}, skipped: [] });
    palace.tidy();
    return { out: folder, drawers: palace.drawerCount(), bytes: palace.bytes() };
  } finally {
    palace.close();
  }
}

function fill(file, run, drawers, base, random) {
  const db = new Database(file);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -200000');
  db.pragma('foreign_keys = OFF');
  const write = writer(db, run, random, base.model);
  const draw = drawersOf(random, base);
  const some = db.transaction((first) => {
    for (let source = first; source < first + SOURCES_TOGETHER; source += 1) {
      const at = source * DRAWERS_PER_SOURCE;
      const count = Math.min(DRAWERS_PER_SOURCE, drawers - at);
      if (count <= 0) return;
      write(
        source,
        Array.from({ length: count }, (_, offset) => draw(at + offset)),
      );
    }
  });
  for (let source = 0; source * DRAWERS_PER_SOURCE < drawers; source += SOURCES_TOGETHER) some(source);
  db.close();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' };
  const { values } = parseArgs({ options: { out: text, drawers: text, embedded: text, cache: text } });
  const [drawers, embedded] = [Number(values.drawers ?? 100_000), Number(values.embedded ?? 10_000)];
  if (values.out === undefined || !(drawers > 0 && embedded > 0)) {
    throw new Error('--out FOLDER is needed; --drawers and --embedded are numbers above 0');
  }
  const { out, cache } = values;
  console.log(JSON.stringify(await generatePalace({ out, drawers, embedded, cache })));
}
