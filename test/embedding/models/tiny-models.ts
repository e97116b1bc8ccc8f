import { type LocalModel, localModel } from '../../../src/embedding/index.js';
import type { HubRepository } from './hub-server.js';
import { type TinyBert, tinyBert } from './tiny-bert.js';
import { type TinyTokenizer, unigram, wordPiece } from './tiny-tokenizers.js';

/** A small model in the shape of one of the registry: same files, tokenizer, architecture and dimension. */
export interface TinyModel extends HubRepository {
  model: LocalModel;
  bert: TinyBert;
  tokenizer: TinyTokenizer;
}

export function tinyModel(id: string, layers = 2): TinyModel {
  const model = localModel(id);
  const tokenizer = id === 'multilingual-e5-small' ? unigram() : wordPiece();
  const bert = tinyBert(tokenizer.size, 1, layers);
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  return {
    model,
    bert,
    tokenizer,
    contents: {
      'onnx/model.onnx': bert.onnx,
      'tokenizer.json': text(tokenizer.json),
      'tokenizer_config.json': text(tokenizer.config),
    },
  };
}
