/** Properties of a model that determine its vectors. */
export interface EmbeddingModel {
  /** Recorded in the palace; for an endpoint its URL, `#` and the name of the model on the server. */
  id: string;
  /** Changes whenever the same text would get another vector. */
  revision: string;
  /** Numbers per vector. */
  dimension: number;
  /** Put before a text, as in the model's training. */
  prefixes: { readonly query: string; readonly passage: string };
  /** Where texts are embedded: in this process, in another one on this machine, or elsewhere. */
  reach: 'process' | 'machine' | 'network';
}

/** A file in the model's folder and in its repository. */
export interface ModelFile {
  /** Path below the folder, with `/`. */
  name: string;
  /** 64 hexadecimal digits; absent if the first pull records it. */
  sha256?: string | undefined;
  /** Exact if `sha256` is given, else approximate. */
  bytes: number;
}

/** A model that runs in this process: a graph, and `tokenizer.json` in the format of Hugging Face. */
export interface LocalModel extends EmbeddingModel {
  reach: 'process';
  licence: string;
  /** Shown to the user: languages and strengths. */
  purpose: string;
  /** The repository on Hugging Face, at `revision`; null if the model is part of this package. */
  repository: string | null;
  /** Folder below `models/` of this package; `id` if absent. */
  shipped?: string;
  files: readonly ModelFile[];
  /** Name of one of `files`. */
  onnxFile: string;
  /** Maximum number of tokens per run, prefix and special tokens included. */
  maxTokens: number;
  /** How the output becomes one vector: by the graph itself, or here from one vector per token. */
  pooling: 'in-graph' | 'mean' | 'cls';
}

export type OnAdvance = (share: number) => void;

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * One vector of `model.dimension` numbers and length 1 per text, in the order of the texts. The vector of a text
   * longer than the model's window is the mean of its windows. The empty text also has a vector, without meaning.
   * Calls may overlap and are answered in order, but questions do not wait for passages, nor short calls for long ones.
   * Calls with 50 texts or more make full batches; single texts are slower by a third.
   *
   * @param role default `passage`
   * @param signal rejects the call with its reason; the remaining work is not done
   * @param onAdvance called between batches with the finished share of the work, between 0 and 1
   * @throws UserError when the model or its thread fails, and `interrupted` once closed
   */
  embed(
    texts: readonly string[],
    role?: 'passage' | 'query',
    signal?: AbortSignal,
    onAdvance?: OnAdvance,
  ): Promise<Float32Array[]>;
  /** Frees model and thread; rejects the running calls. Never fails, may be called twice. */
  close(): Promise<void>;
}
