import type { Palace } from '../store/index.js';
import type { Plan } from './plan.js';
import { dayOfDocument, frontMatterOf } from './read/front-matter.js';

/** Records the place, title and time of a source whose text is unchanged. */
export function relocate(palace: Palace, { source, record, filed }: Plan['toRelocate'][number]): void {
  let day: string | undefined;
  if (source.kind === 'document' && record.mtimeMs !== filed.mtimeMs) {
    // The time of the file is the document's date only if the text and the name have none.
    const [beginning = ''] = palace.sources.texts(filed.id);
    day = dayOfDocument(frontMatterOf(beginning), record.place, source);
  }
  palace.relocate(filed, record, day);
}
