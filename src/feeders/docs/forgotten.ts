import { documentKey } from '../../core/source-key.js';
import type { Survey } from './survey.js';

/**
 * The survey with the documents of a project that are not to be filed among what was passed over.
 *
 * @param forgotten source keys, and absolute paths: a document that was forgotten in another project stays so
 */
export function passOverForgotten(
  survey: Survey,
  project: string,
  forgotten: ReadonlySet<string> | undefined,
): Survey {
  if (forgotten === undefined || forgotten.size === 0) return survey;
  const isForgotten = ({ relativePath, origin }: Survey['documents'][number]) =>
    forgotten.has(documentKey(project, relativePath)) || forgotten.has(origin);
  const gone = survey.documents.filter(isForgotten);
  if (gone.length === 0) return survey;
  return {
    ...survey,
    documents: survey.documents.filter((document) => !isForgotten(document)),
    skipped: [...survey.skipped, ...gone.map(({ origin }) => ({ origin, reason: 'forgotten' }))],
  };
}
