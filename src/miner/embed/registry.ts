import { UserError } from '../../common/errors.js';

/** A file of a model, as it must lie in the model's folder. */
interface ModelFile {
  name: string;
  /** 64 hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/** Everything the embedder must know of a model: another model is another entry here, not code. */
export interface EmbeddingModel {
  /** Recorded in the palace; also the name of the model's folder. */
  id: string;
  /** Changes whenever the same text would get another vector. */
  revision: string;
  licence: string;
  /** All files that are checked; `onnxFile` and `tokenizerFile` name two of them. */
  files: readonly ModelFile[];
  onnxFile: string;
  /** In the `tokenizer.json` format of Hugging Face. */
  tokenizerFile: string;
  /** Numbers per vector. */
  dimension: number;
  /** Most tokens the model is given at once, those of `before` and `after` included. */
  maxTokens: number;
  /** Token ids that stand around every window, such as `[CLS]` and `[SEP]`. */
  before: readonly number[];
  after: readonly number[];
  /** How the output becomes one vector: by the graph itself, or here from one vector per token. */
  pooling: 'in-graph' | 'mean' | 'cls';
  /** Put before a text, as the model was trained. */
  prefixes: { readonly query: string; readonly passage: string };
  /** Runs of white space become one space before tokenising. */
  collapseWhitespace: boolean;
  /** True when no token reaches over a space: words can then be tokenised one by one and remembered. */
  tokensWithinWords: boolean;
  /** Names of the graph's inputs and of the output that is used; `types` where the graph asks for them. */
  inputs: { readonly ids: string; readonly mask: string; readonly types?: string | undefined };
  output: string;
}

/**
 * Universal Sentence Encoder Lite, English. Longer windows than 128 tokens lower its retrieval quality
 * (measured: session recall at 10 on LoCoMo 83.8 → 70.1 %), and it knows no newline.
 */
const useLite: EmbeddingModel = {
  id: 'use-lite',
  revision: '1-w8',
  licence: 'Apache-2.0',
  files: [
    {
      name: 'use-lite-w8.onnx',
      sha256: 'ad7eceadca840d25fa8313babc447e4eaf3771d02b320530aeae58810124d292',
      bytes: 7_076_430,
    },
    {
      name: 'tokenizer.json',
      sha256: 'e157e59b9f63f2283904c7aed97a1d68c5bbccb5d0c005af72415690443643fb',
      bytes: 218_755,
    },
  ],
  onnxFile: 'use-lite-w8.onnx',
  tokenizerFile: 'tokenizer.json',
  dimension: 512,
  maxTokens: 128,
  before: [],
  after: [],
  pooling: 'in-graph',
  prefixes: { query: '', passage: '' },
  collapseWhitespace: true,
  tokensWithinWords: true,
  inputs: { ids: 'input_ids', mask: 'attention_mask' },
  output: 'sentence_embedding',
};

const MODELS: readonly EmbeddingModel[] = [useLite];

/** Comes with the toolkit, so that the first run needs no download. */
export const DEFAULT_MODEL_ID = useLite.id;

/** @throws UserError `usage` when the registry has no such model */
export function modelById(id: string): EmbeddingModel {
  const model = MODELS.find((known) => known.id === id);
  if (model === undefined) {
    throw new UserError('usage', `unknown embedding model ${JSON.stringify(id)}`, {
      hint: `known models: ${MODELS.map((known) => known.id).join(', ')}`,
    });
  }
  return model;
}
