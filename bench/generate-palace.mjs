/**
 * Fills a palace with many drawers to search in, through the store's own interface, so that lexical index
 * and vectors are what the miner would have written. Embedding 100,000 texts takes too long for a bench: a
 * tenth is embedded by the product, the others are those texts reworded, with their vector turned a little
 * (random vectors would mislead: they have no near neighbours).
 *
 *   node bench/generate-palace.mjs --out FOLDER --drawers 100000 --embedded 10000
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { startEmbedder } from '../dist/miner/embed/embedder.js';
import { embeddedText } from '../dist/miner/embed/text.js';
import { Palace } from '../dist/store/index.js';
import { passage, rareNames, reworded } from './support/passages.mjs';
import { title } from './support/prose.mjs';
import { createRandom } from './support/random.mjs';
import { PROJECTS } from './support/vocabulary.mjs';

const DRAWERS_PER_SOURCE = 25;
const SOURCES_TOGETHER = 40;
const TEXTS_PER_CALL = 500;
/** Median length of a drawer in characters. */
const CHARS = 420;
/** Length of the noise added to a unit vector: cosines to the embedded text of about 0.95 to 0.75. */
const NOISE = [0.3, 0.9];

const sha256 = (data) => createHash('sha256').update(data).digest();

/** A vector near another, of length 1; noise has the direction of a random Gaussian. */
function near(random, vector) {
  const length = NOISE[0] + (NOISE[1] - NOISE[0]) * random.next();
  const scale = length / Math.sqrt(vector.length);
  const moved = vector.map((value) => value + scale * gaussian(random));
  const norm = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0));
  return moved.map((value) => value / norm);
}

const gaussian = (random) =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

async function embedAll(embedder, texts) {
  const calls = [];
  for (let from = 0; from < texts.length; from += TEXTS_PER_CALL) {
    calls.push(embedder.embed(texts.slice(from, from + TEXTS_PER_CALL)));
  }
  return (await Promise.all(calls)).flat();
}

function filing(random, index, drawers, model) {
  const day = new Date(Date.UTC(2024, 0, 1) + (index % 700) * 86_400_000).toISOString().slice(0, 10);
  const project = PROJECTS[index % PROJECTS.length];
  const whole = drawers.map(({ text }) => text).join('\n\n');
  const hash = sha256(whole);
  let at = 0;
  const drafts = drawers.map(({ text }) => {
    const start = at;
    at += text.length + 2;
    return {
      text,
      vectorHash: sha256(embeddedText(text, model, 'passage')),
      start,
      end: start + text.length,
      lineStart: 1,
      lineEnd: 1 + text.split('\n').length,
      context: '',
      contentDate: day,
      role: 'assistant',
    };
  });
  return {
    source: {
      sourceKey: `opencode:ses_${index}`,
      sourceFile: `mempalace-session/wing_conversations/${index}.jsonl`,
      origin: `opencode://ses_${index}`,
      kind: 'conversation',
      wing: `wing_${index % 4}`,
      room: project,
      projectId: null,
      title: title(random),
      sessionId: `ses_${index}`,
      directory: `/home/dev/proj/${project}`,
      mtimeMs: Date.parse(day),
      bytes: whole.length,
      hash: hash.toString('hex'),
      versions: 'bench',
      place: `/home/dev/proj/${project}`,
    },
    messages: [],
    pieces: [{ hash, body: deflateRawSync(whole) }],
    drafts,
    chars: whole.length,
    addedBy: 'bench',
    refreshVectors: false,
  };
}

/**
 * Writes a palace of `drawers` drawers into the new folder `out`; `embedded` of their texts are embedded.
 * The same rows from the same seed; vectors follow the machine's floating point.
 */
export async function generatePalace({ out, drawers, embedded, seed = 1 }) {
  const folder = resolve(out);
  if (existsSync(folder)) throw new Error(`${folder} exists already`);
  const random = createRandom(seed);
  const names = rareNames(random);
  const base = [...new Set(Array.from({ length: embedded }, () => passage(random, names, CHARS)))];
  const embedder = await startEmbedder();
  const vectors = await embedAll(embedder, base);
  const { model } = embedder;
  await embedder.close();

  const palace = Palace.write(folder, model);
  try {
    const id = palace.runs.begin({
      command: 'bench',
      scope: '',
      narrowed: false,
      versions: {},
      startedMs: 1,
    });
    const seen = new Set(base);
    const drawer = (index) => {
      if (index < base.length) return { text: base[index], vector: vectors[index] };
      const from = random.between(0, base.length - 1);
      let text = reworded(random, names, base[from]);
      while (seen.has(text)) text = reworded(random, names, text);
      seen.add(text);
      return { text, vector: near(random, vectors[from]) };
    };
    for (let done = 0; done < drawers; ) {
      palace.transaction(() => {
        for (let source = 0; source < SOURCES_TOGETHER && done < drawers; source += 1) {
          const count = Math.min(DRAWERS_PER_SOURCE, drawers - done);
          const some = Array.from({ length: count }, (_, offset) => drawer(done + offset));
          const filed = filing(random, Math.floor(done / DRAWERS_PER_SOURCE), some, model);
          palace.vectors.keep(
            filed.drafts.map((draft, offset) => ({ hash: draft.vectorHash, embedding: some[offset].vector })),
          );
          palace.file(filed, { id, now: '2026-01-05T08:00:00.000Z' });
          done += count;
        }
      });
    }
    palace.runs.end(id, { exitCode: 0, counts: {}, skipped: [] });
    palace.tidy();
    return { out: folder, drawers: palace.drawerCount(), bytes: palace.bytes() };
  } finally {
    palace.close();
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' };
  const { values } = parseArgs({ options: { out: text, drawers: text, embedded: text } });
  const [drawers, embedded] = [Number(values.drawers ?? 100_000), Number(values.embedded ?? 10_000)];
  if (values.out === undefined || !(drawers > 0 && embedded > 0)) {
    throw new Error('--out FOLDER is needed; --drawers and --embedded are numbers above 0');
  }
  console.log(JSON.stringify(await generatePalace({ out: values.out, drawers, embedded })));
}
