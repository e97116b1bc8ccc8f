import type { Survey } from './survey.js';

/** The survey with the documents of a project that are not to be filed among what was passed over. */
export function passOverForgotten(
  survey: Survey,
  project: string,
  forgotten: ReadonlySet<string> | undefined,
): Survey {
  if (forgotten === undefined || forgotten.size === 0) return survey;
  const isForgotten = (path: string) => forgotten.has(`doc:${project}/${path}`);
  const gone = survey.documents.filter(({ relativePath }) => isForgotten(relativePath));
  if (gone.length === 0) return survey;
  return {
    ...survey,
    documents: survey.documents.filter(({ relativePath }) => !isForgotten(relativePath)),
    skipped: [
      ...survey.skipped,
      ...gone.map(({ absolutePath }) => ({ origin: absolutePath, reason: 'forgotten' })),
    ],
  };
}
