import { createHash } from 'node:crypto';
import type { EmbeddingModel } from './model.js';

/** The text exactly as a model sees it: white space collapsed and trimmed, the model's prefix before it. */
export function embeddedText(
  text: string,
  model: Pick<EmbeddingModel, 'prefixes'>,
  role: 'passage' | 'query',
): string {
  return model.prefixes[role] + shownText(text);
}

/** The same without the prefix, which stands before every window of a long text. */
export function shownText(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/**
 * The key under which a text's vector is found again: 32 bytes, the SHA-256 of what every model is shown of
 * it. Without the prefix, so that a palace that changes its model keeps its keys; texts that no model can
 * tell apart share one.
 */
export function textKey(text: string): Buffer {
  return createHash('sha256').update(shownText(text)).digest();
}
