import type { EmbeddingModel } from './registry.js';

/**
 * The text exactly as the model sees it: white space collapsed and trimmed, prefix applied. Its hash is the
 * key under which a vector is found again, so two texts that the model cannot tell apart share one.
 */
export function embeddedText(text: string, model: EmbeddingModel, role: 'passage' | 'query'): string {
  const shown = model.collapseWhitespace ? text.replace(/\s+/gu, ' ').trim() : text;
  return model.prefixes[role] + shown;
}
