// Compares every text of transcripts with what the palace holds, independently of the readers in src: each message once,
// none lost, none twice.
//
//   node scripts/compare-transcripts.mjs <harness> <folder> [--palace <folder>]
//
// It reads the palace by `mempalace export --jsonl`. Meant for small folders: each text is looked for in all sources.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ key: string, text: string, file: string }} Piece
 *   A text of a transcript; pieces of one key are copies of one message.
 */

/** What a program put into a text in somebody's name, and the sanitiser takes out again. */
const INJECTED =
  /<(system-reminder|system|local-command-caveat|task-notification|[a-z][a-z0-9_-]*-hook|hook_[a-z_]+)>[\s\S]*?<\/\1>/g;
/** Shorter texts stand in others by chance. */
const SHORTEST = 6;

/** By harness: the pieces of one file. Whoever adds a harness adds a function that knows nothing of its reader. */
const READERS = {
  'claude-code': claudeCode,
};

export const COMPARED = Object.keys(READERS);

/** All pieces of the transcripts below a folder. @returns {Piece[]} */
export function piecesOf(harness, folder) {
  const read = READERS[harness];
  if (read === undefined) throw new Error(`no pieces are known of ${harness}: ${COMPARED.join(', ')}`);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    (read.files ?? /\.jsonl$/).test(name),
  );
  return names.sort().flatMap((name) => read(join(folder, name)).map((piece) => ({ ...piece, file: name })));
}

/**
 * @param {Piece[]} pieces
 * @param {Iterable<string>} filed whole texts of all sources
 * @returns {{ lost: Piece[], doubled: Piece[], compared: number }}
 */
export function compareTexts(pieces, filed) {
  const distinct = new Map();
  for (const piece of pieces) {
    const text = piece.text.replace(INJECTED, '').trim();
    if (text !== '' && !distinct.has(piece.key)) distinct.set(piece.key, { ...piece, text });
  }
  const all = [...distinct.values()];
  const texts = [...filed];
  const found = { lost: [], doubled: [], compared: 0 };
  for (const piece of all) {
    if (piece.text.length < SHORTEST) continue;
    found.compared += 1;
    const expected = all.reduce((sum, { text }) => sum + occurrences(text, piece.text), 0);
    const actual = texts.reduce((sum, text) => sum + occurrences(text, piece.text), 0);
    if (actual < expected) found.lost.push(piece);
    if (actual > expected) found.doubled.push(piece);
  }
  return found;
}

function occurrences(text, part) {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Records of a file of lines. */
function records(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line.trim() === '' ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** Every string in the arguments of a call. */
function strings(value) {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** Texts of a content, that is a text or blocks: what is said, called and given back. */
function blockTexts(content) {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    if (typeof block?.text === 'string') return [block.text];
    if (typeof block?.thinking === 'string') return [block.thinking];
    if (block?.input !== undefined) return strings(block.input);
    if (block?.content !== undefined) return blockTexts(block.content);
    return [];
  });
}

function claudeCode(file) {
  const pieces = [];
  const all = records(file);
  if (
    basename(file).startsWith('agent-') &&
    all.every(({ type, message }) => type !== 'user' || message.content === 'Warmup')
  )
    return [];
  const seen = new Map();
  for (const record of all) {
    const { type, uuid, version = '', message, attachment, isMeta, toolUseResult } = record;
    let texts = [];
    if (type === 'user' || type === 'assistant') texts = blockTexts(message?.content);
    if (type === 'attachment' && attachment?.type === 'queued_command') texts = blockTexts(attachment.prompt);
    if (type === 'system' && record.subtype === 'local_command') texts = [record.content];
    if (isMeta === true && texts.every((text) => text.startsWith('<'))) continue;
    const [shown = ''] = texts;
    if (shown.includes('<persisted-output>') && typeof toolUseResult?.stdout === 'string')
      texts = [toolUseResult.stdout];
    for (const [place, text] of texts.flatMap(withoutTags).entries()) {
      // Before 2.0 a resumed session is a copy with other ids; what is said there the same time is the same message.
      const said = `${message?.id ?? 'user'} ${text}`;
      seen.set(said, (seen.get(said) ?? 0) + 1);
      const key = /^[01]\./.test(version) ? `${said} ${seen.get(said)}` : `${uuid} ${place}`;
      pieces.push({ key, text });
    }
  }
  return pieces;
}

/** What stands in the elements by which Claude Code tells of commands, and nothing of a background task. */
function withoutTags(text) {
  if (/^\s*(?:Caveat: The messages below|<task-notification>)/.test(text)) return [];
  if (/^\s*<command-/.test(text)) return [/<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? ''];
  return text.replace(/<\/?(?:local-command|bash)-std(?:out|err)>/g, '\n').split('\n\n\n');
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
