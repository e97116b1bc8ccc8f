/**
 * Writes a project folder with many small documents for benches; the same bytes and times from the same
 * seed on every machine.
 *
 *   node bench/generate-docs.mjs --out FOLDER --files 1000
 *   node bench/generate-docs.mjs --out FOLDER --files 20000 --chars 400
 */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { codeLine, prose, title } from './support/prose.mjs';
import { createRandom } from './support/random.mjs';
import { STEMS } from './support/vocabulary.mjs';

/** 2026-01-05 08:00 UTC, the modification time of the first file. */
const EPOCH_MS = Date.UTC(2026, 0, 5, 8);
const PER_FOLDER = 40;

function markdown(random, length) {
  const sections = [`# ${title(random)}`];
  for (let left = length; left > 0; left -= 600) {
    sections.push(`## ${title(random)}`, prose(random, Math.min(left, 600)));
  }
  return `${sections.join('\n\n')}\n`;
}

function yaml(random, length) {
  let out = `# ${title(random)}\n`;
  while (out.length < length) {
    const key = `${random.pick(STEMS)}_${random.pick(STEMS)}_${random.hex(3)}`;
    out += `${key}:\n  ${random.pick(STEMS)}: ${random.between(1, 9999)}\n  note: ${title(random)}\n`;
  }
  return out;
}

function shell(random, length) {
  let out = '#!/bin/sh\nset -eu\n';
  while (out.length < length) out += `# ${title(random)}\n: '${codeLine(random).replaceAll("'", '')}'\n`;
  return out;
}

function document(random, length) {
  const draw = random.next();
  if (draw < 0.8) return ['md', markdown(random, length)];
  if (draw < 0.88) return ['txt', `${prose(random, length)}\n`];
  return draw < 0.96 ? ['yaml', yaml(random, length)] : ['sh', shell(random, length)];
}

/**
 * Writes `files` documents of about `chars` characters (median; log-normal) below the new folder `out`.
 * @returns the folder, the number of files and their bytes
 */
export function generateDocs({ out, files, chars = 900, seed = 1 }) {
  const root = resolve(out);
  if (existsSync(root)) throw new Error(`${root} exists already`);
  const random = createRandom(seed);
  let bytes = 0;
  for (let index = 0; index < files; index += 1) {
    const folder = join(root, 'docs', `part-${Math.floor(index / PER_FOLDER)}`);
    if (index % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const [extension, text] = document(
      random,
      Math.min(20 * chars, Math.round(random.logNormal(chars, 0.7))),
    );
    const path = join(folder, `${random.pick(STEMS)}-${index}.${extension}`);
    writeFileSync(path, text);
    const time = (EPOCH_MS + index * 1000) / 1000;
    utimesSync(path, time, time);
    bytes += Buffer.byteLength(text);
  }
  return { out: root, files, bytes };
}

function main() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      files: { type: 'string', default: '1000' },
      chars: { type: 'string', default: '900' },
      seed: { type: 'string', default: '1' },
    },
  });
  if (values.out === undefined) throw new Error('--out FOLDER is needed');
  const [files, chars, seed] = [values.files, values.chars, values.seed].map(Number);
  if (!(files > 0 && chars > 0 && Number.isFinite(seed))) {
    throw new Error('--files, --chars and --seed are numbers above 0');
  }
  console.log(JSON.stringify(generateDocs({ out: values.out, files, chars, seed })));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main();
