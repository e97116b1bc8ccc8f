/** Tokenizers in the files and shapes of the models of the hub, with vocabularies small enough to read. */

const special = (id: number, content: string, lstrip = false) => ({
  id,
  content,
  single_word: false,
  lstrip,
  rstrip: false,
  normalized: false,
  special: true,
});

function around(start: string, startId: number, end: string, endId: number) {
  return {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: start, type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: end, type_id: 0 } },
    ],
    pair: [
      { SpecialToken: { id: start, type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: end, type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: end, type_id: 1 } },
    ],
    special_tokens: {
      [start]: { id: start, ids: [startId], tokens: [start] },
      [end]: { id: end, ids: [endId], tokens: [end] },
    },
  };
}

export interface TinyTokenizer {
  /** `tokenizer.json` and `tokenizer_config.json`. */
  json: string;
  config: string;
  size: number;
  /** Ids of one word, computed without the library: longest piece first, as both schemes do for these words. */
  word(word: string): number[];
  before: number;
  after: number;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789.,:!?-'.split('');
const WORDS = ['the', 'palace', 'port', 'proxy', 'quick', 'room', 'drawer', 'session', 'query', 'passage'];
const ENDS = ['s', 'ing', 'ed', 'er'];

/** BERT's WordPiece, with its `[CLS]` 101 and `[SEP]` 102. */
export function wordPiece(): TinyTokenizer {
  const unused = Array.from({ length: 99 }, (_, index) => `[unused${index}]`);
  const prefix = ['represent', 'this', 'sentence', 'for', 'searching', 'relevant', 'passages'];
  const pieces = [
    ...['[PAD]', ...unused, '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
    ...LETTERS,
    ...LETTERS.map((letter) => `##${letter}`),
    ...[...WORDS, ...prefix],
    ...ENDS.filter((end) => end.length > 1).map((end) => `##${end}`),
    ...['ü', '記', '憶'],
  ];
  const vocab = Object.fromEntries(pieces.map((piece, index) => [piece, index]));
  const id = (piece: string): number => vocab[piece] ?? Number.NaN;
  const json = JSON.stringify({
    version: '1.0',
    // The real files truncate and pad; that must not cut the toolkit's windows.
    truncation: { max_length: 128, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
    padding: { strategy: { Fixed: 128 }, direction: 'Right', pad_id: 0, pad_type_id: 0, pad_token: '[PAD]' },
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token) => special(id(token), token)),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: around('[CLS]', id('[CLS]'), '[SEP]', id('[SEP]')),
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  });
  const config = JSON.stringify({
    do_lower_case: true,
    model_max_length: 512,
    tokenizer_class: 'BertTokenizer',
  });
  return {
    json,
    config,
    size: pieces.length,
    word: (word) => longestFirst(word, (part, start) => vocab[start === 0 ? part : `##${part}`]),
    before: id('[CLS]'),
    after: id('[SEP]'),
  };
}

/** XLM-RoBERTa's SentencePiece unigrams, with its `<s>` 0 and `</s>` 2. */
export function unigram(): TinyTokenizer {
  // Longer pieces cost less than their parts, so that the longest pieces win.
  const pieces: [string, number][] = [
    ['<s>', 0],
    ['<pad>', 0],
    ['</s>', 0],
    ['<unk>', 0],
    ['▁', -5],
    ...LETTERS.map((letter): [string, number] => [letter, -6]),
    ...LETTERS.map((letter): [string, number] => [`▁${letter}`, -6.5]),
    ...WORDS.map((word): [string, number] => [`▁${word}`, -4]),
    ...ENDS.filter((end) => end.length > 1).map((end): [string, number] => [end, -3]),
    ['記', -6],
    ['憶', -6],
    ['記憶', -5],
    ['<mask>', 0],
  ];
  const ids = new Map(pieces.map(([piece], index) => [piece, index]));
  const json = JSON.stringify({
    version: '1.0',
    truncation: { max_length: 512, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
    padding: { strategy: 'BatchLongest', direction: 'Right', pad_id: 1, pad_type_id: 0, pad_token: '<pad>' },
    added_tokens: ['<s>', '<pad>', '</s>', '<unk>', '<mask>'].map((token) =>
      special(ids.get(token) ?? -1, token, token === '<mask>'),
    ),
    normalizer: { type: 'Precompiled', precompiled_charsmap: '' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'WhitespaceSplit' },
        { type: 'Metaspace', replacement: '▁', str_rep: '▁', add_prefix_space: true },
      ],
    },
    post_processor: around('<s>', 0, '</s>', 2),
    decoder: { type: 'Metaspace', replacement: '▁', str_rep: '▁', add_prefix_space: true },
    model: { type: 'Unigram', unk_id: 3, vocab: pieces },
  });
  const config = JSON.stringify({ model_max_length: 512, tokenizer_class: 'XLMRobertaTokenizer' });
  return {
    json,
    config,
    size: pieces.length,
    word: (word) => longestFirst(`▁${word}`, (part) => ids.get(part)),
    before: 0,
    after: 2,
  };
}

function longestFirst(word: string, idOf: (part: string, start: number) => number | undefined): number[] {
  const found: number[] = [];
  for (let start = 0; start < word.length; ) {
    let end = word.length;
    let id = idOf(word.slice(start, end), start);
    while (id === undefined && end > start + 1) {
      end -= 1;
      id = idOf(word.slice(start, end), start);
    }
    if (id === undefined) throw new Error(`no piece of ${word.slice(start)}`);
    found.push(id);
    start = end;
  }
  return found;
}
