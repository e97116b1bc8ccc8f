import { cleanPaths, type Sanitiser } from '../../sanitiser/index.js';
import type { Survey } from './survey.js';

/**
 * The survey as it may be kept and shown: no secret is left in a path, a room or a note. Where the documents lie stays.
 * Names without a secret, which nearly all are, stay character by character.
 */
export async function withCleanNames(survey: Survey, sanitiser: Sanitiser): Promise<Survey> {
  const { documents, skipped, unread, nested, notes } = survey;
  const names = [
    ...documents.flatMap(({ relativePath, absolutePath, room }) => [relativePath, absolutePath, room]),
    ...skipped.map(({ origin }) => origin),
    ...unread,
    ...nested,
  ];
  const clean = await cleanPaths([...new Set(names)], sanitiser);
  return {
    documents: documents.map((document) => ({
      ...document,
      relativePath: clean(document.relativePath),
      origin: clean(document.absolutePath),
      room: clean(document.room),
    })),
    skipped: skipped.map((skip) => ({ ...skip, origin: clean(skip.origin) })),
    unread: unread.map(clean),
    nested: nested.map(clean),
    notes: await Promise.all(notes.map(async (note) => (await sanitiser.clean(note)).text)),
  };
}
