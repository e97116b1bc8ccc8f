import { UserError } from '../core/errors.js';
import { endpointModel } from './endpoint-id.js';
import type { EmbeddingModel, LocalModel } from './model.js';

/**
 * Universal Sentence Encoder Lite, English. Windows of more than 128 tokens lower its retrieval quality
 * (measured: session recall at 10 on LoCoMo 83.8 → 70.1 %). Its vocabulary does not contain a newline.
 */
const USE_LITE = {
  licence: 'Apache-2.0',
  repository: null,
  shipped: 'use-lite',
  reach: 'process',
  dimension: 512,
  maxTokens: 128,
  pooling: 'in-graph',
  prefixes: { query: '', passage: '' },
} as const;

const useLiteTokenizer = {
  name: 'tokenizer.json',
  sha256: 'e157e59b9f63f2283904c7aed97a1d68c5bbccb5d0c005af72415690443643fb',
  bytes: 218_755,
};

/** With products of integers: 0.6 of the processor time of `use-lite`, measured without VNNI. */
const useLiteInt8: LocalModel = {
  ...USE_LITE,
  id: 'use-lite-int8',
  revision: '1-i8',
  purpose: 'English; comes with the toolkit, fastest',
  files: [
    {
      name: 'use-lite-int8.onnx',
      sha256: '21fc8fcc1ddc1867c56badee47f8ab4a3fe5291d05b80b763f83bb936c2a3603',
      bytes: 7_668_393,
    },
    useLiteTokenizer,
  ],
  onnxFile: 'use-lite-int8.onnx',
};

/** The default of earlier versions, for their palaces. */
const useLite: LocalModel = {
  ...USE_LITE,
  id: 'use-lite',
  revision: '1-w8',
  purpose: 'English; comes with the toolkit, the default of earlier versions',
  files: [
    {
      name: 'use-lite-w8.onnx',
      sha256: 'ad7eceadca840d25fa8313babc447e4eaf3771d02b320530aeae58810124d292',
      bytes: 7_076_430,
    },
    useLiteTokenizer,
  ],
  onnxFile: 'use-lite-w8.onnx',
};

/**
 * Common to the models of the hub: BERT encoders exported by transformers, which return one vector per token. Their
 * tokenizers first split at white space, so its kind and amount do not matter.
 */
const HUB_ENCODER = { reach: 'process', onnxFile: 'onnx/model.onnx', dimension: 384 } as const;

const files = (onnx: number, tokenizer: number, config: number): LocalModel['files'] => [
  { name: HUB_ENCODER.onnxFile, bytes: onnx },
  { name: 'tokenizer.json', bytes: tokenizer },
  { name: 'tokenizer_config.json', bytes: config },
];

/** https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2: 256 tokens according to its sentence_bert_config. */
const miniLm: LocalModel = {
  ...HUB_ENCODER,
  id: 'all-MiniLM-L6-v2',
  revision: 'c9745ed1d9f207416be6d2e6f8de32d1f16199bf',
  licence: 'Apache-2.0',
  purpose: "English; MemPalace's default",
  repository: 'sentence-transformers/all-MiniLM-L6-v2',
  files: files(90_405_214, 466_247, 350),
  maxTokens: 256,
  pooling: 'mean',
  prefixes: { query: '', passage: '' },
};

/** https://huggingface.co/BAAI/bge-small-en-v1.5: its card requires the prefix before questions only. */
const bgeSmall: LocalModel = {
  ...HUB_ENCODER,
  id: 'bge-small-en-v1.5',
  revision: '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a',
  licence: 'MIT',
  purpose: 'English; better at questions',
  repository: 'BAAI/bge-small-en-v1.5',
  files: files(133_093_490, 711_396, 366),
  maxTokens: 512,
  pooling: 'cls',
  prefixes: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
};

/** https://huggingface.co/intfloat/multilingual-e5-small: every text needs one of the two prefixes. */
const e5Small: LocalModel = {
  ...HUB_ENCODER,
  id: 'multilingual-e5-small',
  revision: '614241f622f53c4eeff9890bdc4f31cfecc418b3',
  licence: 'MIT',
  purpose: 'some 100 languages, German, Chinese and Japanese among them',
  repository: 'intfloat/multilingual-e5-small',
  files: files(470_268_510, 17_082_730, 443),
  maxTokens: 512,
  pooling: 'mean',
  prefixes: { query: 'query: ', passage: 'passage: ' },
};

/**
 * https://huggingface.co/BAAI/bge-m3, its dense vectors: the state of the first token, without prefixes. The graph keeps
 * its weights in two other files. It takes 8,192 tokens, but attention over them needs 4 GB per layer; chunks have about
 * 230 tokens.
 */
const bgeM3: LocalModel = {
  id: 'bge-m3',
  revision: '5617a9f61b028005a4858fdac845db406aefb181',
  licence: 'MIT',
  purpose: 'more than 100 languages; large, by far the slowest',
  repository: 'BAAI/bge-m3',
  reach: 'process',
  files: [
    { name: 'onnx/model.onnx', bytes: 724_923 },
    { name: 'onnx/model.onnx_data', bytes: 2_266_820_608 },
    { name: 'onnx/Constant_7_attr__value', bytes: 65_552 },
    { name: 'tokenizer.json', bytes: 17_098_108 },
    { name: 'tokenizer_config.json', bytes: 444 },
  ],
  onnxFile: 'onnx/model.onnx',
  dimension: 1024,
  maxTokens: 1024,
  pooling: 'cls',
  prefixes: { query: '', passage: '' },
};

export const LOCAL_MODELS: readonly LocalModel[] = [useLiteInt8, useLite, miniLm, bgeSmall, e5Small, bgeM3];

/** Part of the toolkit, so that the first run does not download a model. */
export const DEFAULT_MODEL_ID = useLiteInt8.id;

/** Models of earlier versions, by the id of the model that replaces them: as good, and faster. */
export const SUCCESSORS: Readonly<Record<string, string>> = { [useLite.id]: useLiteInt8.id };

/** @throws UserError `usage` for an id that is not in the registry */
export function localModel(id: string): LocalModel {
  const model = LOCAL_MODELS.find((known) => known.id === id);
  if (model !== undefined) return model;
  throw new UserError('usage', `unknown embedding model ${JSON.stringify(id)}`, {
    hint: `known models: ${LOCAL_MODELS.map((known) => known.id).join(', ')}; or an endpoint such as http://127.0.0.1:11434/v1#nomic-embed-text`,
  });
}

/**
 * The model of an id: one of the registry, or an endpoint (`http://127.0.0.1:11434/v1#nomic-embed-text`).
 *
 * @param dimension of an endpoint's vectors, as recorded in the palace; `findModel` asks the endpoint for it
 * @throws UserError `usage` for an unknown or malformed id
 */
export function modelById(id: string, dimension?: number): EmbeddingModel {
  const endpoint = endpointModel(id, dimension ?? 0);
  if (endpoint === undefined) return localModel(id);
  if (dimension === undefined) throw new Error(`the dimension of ${endpoint.id} is not known`);
  return endpoint;
}
