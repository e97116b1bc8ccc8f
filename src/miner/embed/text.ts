import type { EmbeddingModel } from './model.js';

type Form = Pick<EmbeddingModel, 'prefixes' | 'collapseWhitespace'>;

/**
 * The text exactly as the model sees it: white space collapsed and trimmed, prefix applied. Its hash is the
 * key under which a vector is found again, so two texts that the model cannot tell apart share one.
 */
export function embeddedText(text: string, model: Form, role: 'passage' | 'query'): string {
  return model.prefixes[role] + shownText(text, model);
}

/** The same without the prefix, which stands before every window of a long text. */
export function shownText(text: string, model: Form): string {
  return model.collapseWhitespace ? text.replace(/\s+/gu, ' ').trim() : text;
}
