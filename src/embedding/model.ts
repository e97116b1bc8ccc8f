/** Properties of a model that determine its vectors. */
export interface EmbeddingModel {
  /** Recorded in the palace; for an endpoint its URL, `#` and the model's name there. */
  id: string;
  /** Changes whenever the same text would get another vector. */
  revision: string;
  /** Numbers per vector. */
  dimension: number;
  /** Put before a text, as the model was trained. */
  prefixes: { readonly query: string; readonly passage: string };
  /** Where texts go to be embedded: they stay in this process, on this machine, or they leave it. */
  reach: 'process' | 'machine' | 'network';
}

/** A file in the model's folder and in its repository. */
export interface ModelFile {
  /** Path below the folder, with `/`. */
  name: string;
  /** 64 hexadecimal digits; absent where the first pull records it. */
  sha256?: string | undefined;
  /** Exact where `sha256` is given, else about. */
  bytes: number;
}

/** A model that runs in this process. Another one is another entry of the registry, not code. */
export interface LocalModel extends EmbeddingModel {
  reach: 'process';
  licence: string;
  /** For people: languages, and what it is good for. */
  purpose: string;
  /** The Hugging Face repository it is pulled from, at `revision`; null: it comes with this package. */
  repository: string | null;
  files: readonly ModelFile[];
  /** Names of two of `files`; the tokenizer is in the `tokenizer.json` format of Hugging Face. */
  onnxFile: string;
  tokenizerFile: string;
  /** Settings of the tokenizer that are not in `tokenizerFile`, one of `files`. */
  tokenizerConfigFile?: string | undefined;
  /** Most tokens the model is given at once, prefix and special tokens included. */
  maxTokens: number;
  /** How the output becomes one vector: by the graph itself, or here from one vector per token. */
  pooling: 'in-graph' | 'mean' | 'cls';
  /** True when no token reaches over a space: words can then be tokenised one by one and remembered. */
  tokensWithinWords: boolean;
  /** Names of the graph's inputs (`types` are given where the graph has them), and of the output that is used. */
  inputs: { readonly ids: string; readonly mask: string; readonly types?: string | undefined };
  output: string;
}

export type OnAdvance = (share: number) => void;

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * One vector of `model.dimension` numbers and length 1 per text, in the order of the texts. Texts longer
   * than the model's window are the mean of their windows; the empty text has a vector too (that of no
   * tokens), which says nothing. Calls may overlap and are answered in order, but questions do not wait for
   * passages. Calls of some 50 texts or more make full batches; single texts are slower by a third.
   *
   * @param role default `passage`
   * @param signal rejects the call with its reason; what of it is still to be done is not done
   * @param onAdvance called between batches with the share of the work that is done, above 0 and below 1
   * @throws UserError when the model or its thread fails, and `interrupted` once closed
   */
  embed(
    texts: string[],
    role?: 'passage' | 'query',
    signal?: AbortSignal,
    onAdvance?: OnAdvance,
  ): Promise<Float32Array[]>;
  /** Frees model and thread; calls under way are rejected. Never fails, may be called twice. */
  close(): Promise<void>;
}
