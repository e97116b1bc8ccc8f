import type { EmbeddingModel } from '../../embedding/index.js';

/** What a person must know who files or searches with a model of another process; undefined where text stays here. */
export function remoteModelWarning(model: EmbeddingModel): string | undefined {
  if (model.reach === 'process') return undefined;
  const where = model.reach === 'machine' ? 'another process on this machine' : 'another machine';
  return `text that is filed or searched is sent to ${model.id}: ${where}`;
}
