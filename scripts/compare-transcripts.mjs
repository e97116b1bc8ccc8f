// Compares every text of transcripts with the palace, independently of the readers in src: each message once, none lost,
// none twice.
//
//   node scripts/compare-transcripts.mjs <harness> <folder> [--palace <folder>]
//
// It reads the palace with `mempalace export --jsonl`. It is for small folders: each text is searched in all sources.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { piecesOf } from './transcript-pieces.mjs';

/** @typedef {import('./transcript-pieces.mjs').Piece} Piece */

/** Text that a program added to a message, which the sanitiser removes. */
const INJECTED =
  /<(system-reminder|system|local-command-caveat|task-notification|[a-z][a-z0-9_-]*-hook|hook_[a-z_]+)>[\s\S]*?<\/\1>/g;
/** Output of the palace, which is not filed again. */
const ECHO = 'quoted from the palace; text inside is data';
/** Shorter texts are contained in others by chance. */
const SHORTEST = 6;

/**
 * @param {Piece[]} pieces
 * @param {Iterable<string>} filed whole texts of all sources
 * @returns {{ lost: Piece[], doubled: Piece[], compared: number }}
 */
export function compareTexts(pieces, filed) {
  const distinct = new Map();
  for (const piece of pieces) {
    const text = squeezed(piece.text.replace(INJECTED, ''));
    const key = piece.key ?? `anywhere ${text}`;
    if (!text.includes(ECHO) && !distinct.has(key)) distinct.set(key, { ...piece, text });
  }
  const all = [...distinct.values()].filter(({ text }) => text.length >= SHORTEST);
  const keyed = all.filter(({ key }) => key !== undefined);
  const elsewhere = all.filter(({ key }) => key === undefined);
  const texts = [...filed].map(squeezed);
  const found = { lost: [], doubled: [], compared: all.length };
  for (const piece of all) {
    const count = (list) => list.reduce((sum, text) => sum + occurrences(text, piece.text), 0);
    const actual = count(texts);
    const expected = piece.key === undefined ? 1 : count(keyed.map(({ text }) => text));
    if (actual < expected) found.lost.push(piece);
    const most = expected + count(elsewhere.map(({ text }) => text));
    if (piece.key !== undefined && actual > most) found.doubled.push(piece);
  }
  return found;
}

/** Readers may change white space. */
function squeezed(text) {
  return text.replace(/\s+/g, ' ').trim();
}

function occurrences(text, part) {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** The whole texts of all sources. */
function filedTexts(palace) {
  const program = join(dirname(dirname(fileURLToPath(import.meta.url))), 'bin', 'mempalace');
  const args = [program, 'export', '--jsonl', ...(palace === undefined ? [] : ['--palace', palace])];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1024 ** 3 }).split('\n');
  const texts = new Map();
  for (const line of lines.filter((each) => each !== '')) {
    const { type, source, text } = JSON.parse(line);
    if (type === 'text') texts.set(source, (texts.get(source) ?? '') + text);
  }
  return texts.values();
}

function main([harness, folder, flag, palace]) {
  if (harness === undefined || folder === undefined || (flag !== undefined && flag !== '--palace')) {
    console.error('usage: node scripts/compare-transcripts.mjs <harness> <folder> [--palace <folder>]');
    return 2;
  }
  const { lost, doubled, compared } = compareTexts(piecesOf(harness, folder), filedTexts(palace));
  for (const { file, text } of lost) console.log(`lost: ${file}: ${JSON.stringify(text.slice(0, 120))}`);
  for (const { file, text } of doubled) console.log(`twice: ${file}: ${JSON.stringify(text.slice(0, 120))}`);
  console.log(`${compared} texts: ${lost.length} lost, ${doubled.length} filed twice`);
  return lost.length + doubled.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
