/** A `tokenizer.json` of SentencePiece's unigram scheme; the token id of a piece is its index. */
export interface UnigramFile {
  added_tokens: readonly { id: number; content: string }[];
  model: { type: 'Unigram'; unk_id: number; vocab: readonly Piece[] };
}

type Piece = readonly [text: string, score: number];

export function isUnigram(json: { model?: { type?: unknown } }): json is UnigramFile {
  return json.model?.type === 'Unigram';
}

/** Marks the beginning of a word in pieces. */
const WORD_START = '▁';

/**
 * Token ids of the pieces that a text can contain, and of the piece with the lowest score, from which the library computes
 * the score of an unknown character.
 *
 * @param shown the text as the tokenizer normalises it
 */
export function piecesIn({ model: { vocab } }: UnigramFile, shown: string): number[] {
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
 * A tokenizer with only these pieces and the special ones: the library takes most of its time to put all pieces into a
 * tree.
 *
 * @returns `ids`: the token ids of the pieces by their new ids
 */
export function withPieces(
  json: UnigramFile,
  pieces: readonly number[],
): { file: UnigramFile; ids: readonly number[] } {
  const { added_tokens, model } = json;
  const ids = [...new Set([model.unk_id, ...added_tokens.map(({ id }) => id), ...pieces])];
  const vocab = ids.map((id) => model.vocab[id] ?? (['', 0] as const));
  const added = added_tokens.map((token) => ({ ...token, id: ids.indexOf(token.id) }));
  return { file: { ...json, added_tokens: added, model: { ...model, unk_id: 0, vocab } }, ids };
}
