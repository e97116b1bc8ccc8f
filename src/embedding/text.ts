import { sha256 } from '../core/hash.js';

/** A text as a model gets it after its prefix: white space collapsed and trimmed. */
export function shownText(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/**
 * The key of a text's vector: 32 bytes, SHA-256. Texts that all models see as the same have the same key. The prefix
 * is not included, so a palace keeps its keys when it changes its model.
 */
export function textKey(text: string): Buffer {
  return Buffer.from(sha256(shownText(text)), 'hex');
}
