// The package's vocab.json (pairs of piece and score) as a Hugging Face tokenizer.json, a unigram model.

/** The first entries (unknown, <s>, </s>, extra tokens) match no text and must never be chosen. */
const RESERVED = 6;
const NEVER = -100;

/** @param {[string, number | null][]} vocab the pieces in the order of their ids */
export function tokenizerOf(vocab) {
  const pieces = vocab.map(([piece, score], id) => {
    // A few pieces have no score; the package's own search reads them as 0.
    return [piece, id < RESERVED ? NEVER : (score ?? 0)];
  });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' },
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    model: { type: 'Unigram', unk_id: 0, vocab: pieces, byte_fallback: false },
  };
}
