import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { LocalModel } from './model.js';

const CONFIG = 'tokenizer_config.json';
/** Words kept with their token ids; a conversation repeats most of its words. */
const REMEMBERED_WORDS = 50_000;
/** Longer words rarely occur twice (hashes, encoded data). */
const REMEMBERED_LENGTH = 40;
/**
 * Longer words are tokenised in slices of this many UTF-16 units: the library passes the tokens of a word as
 * arguments of one call, and a megabyte of base64 would overflow the stack.
 */
const LONGEST_WORD = 4096;
/** Texts, and their length in UTF-16 units, that may get a vocabulary of their own. */
const TEXTS_APART = 5;
const LONGEST_APART = 4096;

/** Token ids of a text from `shownText`, without the ids around a window. */
export type Tokenize = (text: string) => number[];

export interface ModelTokenizer {
  tokenize: Tokenize;
  /** Ids that the tokenizer puts around every text, such as those of `[CLS]` and `[SEP]`. */
  before: readonly number[];
  after: readonly number[];
}

/**
 * Loads the tokenizer. `many`: at once, about 30 ms for 8,000 pieces; `few`: for the first texts only what each
 * needs.
 */
export async function loadTokenizer(
  model: LocalModel,
  folder: string,
  purpose: 'many' | 'few' = 'many',
): Promise<ModelTokenizer> {
  const configured = model.files.some(({ name }) => name === CONFIG);
  const [{ Tokenizer }, text, configText] = await Promise.all([
    import('@huggingface/tokenizers'),
    readFile(join(folder, 'tokenizer.json'), 'utf8'),
    configured ? readFile(join(folder, CONFIG), 'utf8') : '{}',
  ]);
  const json: object = JSON.parse(text);
  const config: object = JSON.parse(configText);
  const make: Make = (tokenizer) => new Tokenizer(tokenizer, config);
  if (purpose === 'few' && isUnigram(json)) return fewTexts(json, make);
  const tokenizer = make(json);
  return { tokenize: byWord(encoderOf(tokenizer)), ...aroundTexts(tokenizer) };
}

type Make = (tokenizer: object) => Tokenizer;

function encoderOf(tokenizer: Tokenizer): Tokenize {
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
}

function aroundTexts(tokenizer: Tokenizer): Pick<ModelTokenizer, 'before' | 'after'> {
  const bare = encoderOf(tokenizer)('a');
  const around: readonly number[] = tokenizer.encode('a', { add_special_tokens: true }).ids;
  const start = around.findIndex((_, at) => bare.every((id, index) => around[at + index] === id));
  return { before: around.slice(0, start), after: around.slice(start + bare.length) };
}

/** Gives each of the first short texts a vocabulary of its own, in a tenth of the time; the others share the whole one. */
function fewTexts(json: UnigramFile, make: Make): ModelTokenizer {
  const bare = withPieces(json, []);
  const tokenizer = make(bare.file);
  const { before, after } = aroundTexts(tokenizer);
  const known = (ids: readonly number[]): number[] => ids.map((id) => bare.ids[id] ?? id);
  const shown = (word: string): string => tokenizer.normalizer?.(word) ?? word;
  let left = TEXTS_APART;
  let whole: Tokenize | undefined;
  const tokenize: Tokenize = (text) => {
    if (text === '') return [];
    if (left === 0 || text.length > LONGEST_APART) {
      whole ??= byWord(encoderOf(make(json)));
      return whole(text);
    }
    left -= 1;
    const { file, ids } = withPieces(json, piecesIn(json, text.split(' ').map(shown).join(' ')));
    const encode = encoderOf(make(file));
    return byWord((word) => encode(word).map((id) => ids[id] ?? id))(text);
  };
  return { tokenize, before: known(before), after: known(after) };
}

/**
 * Tokenises word by word and remembers the words: the same ids in a tenth of the time, since no token of a known model
 * contains a space between words.
 */
function byWord(encode: Tokenize): Tokenize {
  const remembered = new Map<string, readonly number[]>();
  const idsOf = (word: string): readonly number[] => {
    if (word.length > LONGEST_WORD) return slices(word).flatMap(encode);
    if (word.length > REMEMBERED_LENGTH) return encode(word);
    let ids = remembered.get(word);
    if (ids === undefined) {
      if (remembered.size >= REMEMBERED_WORDS) remembered.clear();
      ids = encode(word);
      remembered.set(word, ids);
    }
    return ids;
  };
  return (text) => text.split(' ').flatMap((word) => (word === '' ? [] : idsOf(word)));
}

function slices(word: string): string[] {
  const count = Math.ceil(word.length / LONGEST_WORD);
  return Array.from({ length: count }, (_, i) => word.slice(i * LONGEST_WORD, (i + 1) * LONGEST_WORD));
}

/** A `tokenizer.json` of SentencePiece's unigram scheme; the token id of a piece is its index. */
interface UnigramFile {
  added_tokens: readonly { id: number; content: string }[];
  model: { type: 'Unigram'; unk_id: number; vocab: readonly Piece[] };
}

type Piece = readonly [text: string, score: number];

function isUnigram(json: { model?: { type?: unknown } }): json is UnigramFile {
  return json.model?.type === 'Unigram';
}

/** Marks the beginning of a word in pieces. */
const WORD_START = '▁';

/**
 * Token ids of the pieces that a text can contain, as the tokenizer normalises it, and of the piece with the lowest
 * score, from which the library computes the score of an unknown character.
 */
function piecesIn({ model: { vocab } }: UnigramFile, shown: string): number[] {
  const ids: number[] = [];
  let lowest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let id = 0; id < vocab.length; id += 1) {
    const [text, score] = vocab[id] as Piece;
    if (score < least) [lowest, least] = [id, score];
    if (shown.includes(text.startsWith(WORD_START) ? text.slice(1) : text)) ids.push(id);
  }
  return [...ids, lowest];
}

/**
 * A tokenizer with only these pieces and the special ones, and the token ids of the pieces by their new ids: the
 * library takes most of its time to put all pieces into a tree.
 */
function withPieces(
  json: UnigramFile,
  pieces: readonly number[],
): { file: UnigramFile; ids: readonly number[] } {
  const { added_tokens, model } = json;
  const ids = [...new Set([model.unk_id, ...added_tokens.map(({ id }) => id), ...pieces])];
  const vocab = ids.map((id) => model.vocab[id] ?? (['', 0] as const));
  const added = added_tokens.map((token) => ({ ...token, id: ids.indexOf(token.id) }));
  return { file: { ...json, added_tokens: added, model: { ...model, unk_id: 0, vocab } }, ids };
}
