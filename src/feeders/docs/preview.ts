import type { Batch, Skipped, StagedSource } from '../../core/contract.js';
import { documentKey } from '../../core/source-key.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { commitDates } from './commit-dates.js';
import { HEAD_BYTES } from './content.js';
import type { IdentifiedProject } from './project.js';
import { readDocument, UnreadDocument } from './read.js';
import { stagedAs } from './stage.js';

export interface PreviewOptions {
  /** What the palace has filed under a key. */
  filedAs: (sourceKey: string) => { mtimeMs: number; bytes: number; hash: string } | undefined;
  sanitiser: Sanitiser;
  signal: AbortSignal;
  /** Makes that every document is read, and gets each one, decoded and sanitised. */
  onRead?: (source: StagedSource, content: string) => void;
}

/**
 * The batch that staging would make; nothing is written. Of a new project only what the survey has not seen whole is
 * read, since it may be binary; of a known one, the documents with another mtime, since one that was only touched or
 * renamed is not new text.
 */
export async function previewBatch(identified: IdentifiedProject, options: PreviewOptions): Promise<Batch> {
  const { filedAs, sanitiser, signal, onRead } = options;
  const { project, wing, root, complete, folder, absorbs, known, survey } = identified;
  const sources: StagedSource[] = [];
  const skipped: Skipped[] = [];
  const unread: string[] = [];
  const doubtful = survey.documents.filter(({ relativePath, mtimeMs }) => {
    const filed = filedAs(documentKey(project.id, relativePath));
    return filed !== undefined && filed.mtimeMs !== mtimeMs;
  });
  const dates = await commitDates(root, doubtful, signal);
  for (const found of survey.documents) {
    signal.throwIfAborted();
    const document = { ...found, committedMs: dates.get(found.relativePath) };
    const target = stagedAs(document, project, wing, sanitiser);
    const filed = filedAs(target.sourceKey);
    if (onRead === undefined && filed?.mtimeMs === target.mtimeMs) {
      sources.push({ ...target, bytes: filed.bytes, hash: filed.hash });
    } else if (onRead === undefined && !known && document.size <= HEAD_BYTES) {
      sources.push({ ...target, bytes: document.size, hash: '' });
    } else {
      try {
        const { content, bytes, hash } = await readDocument(document, sanitiser);
        sources.push({ ...target, bytes, hash });
        onRead?.({ ...target, bytes, hash }, content);
      } catch (error) {
        if (!(error instanceof UnreadDocument)) throw error;
        skipped.push(error.skipped);
        if (error.skipped.problem === true) unread.push(document.relativePath);
      }
    }
  }
  const completeness = { project: project.id, unread: [...survey.unread, ...unread], folder, absorbs };
  return { sources, skipped, project, ...(complete ? { complete: completeness } : {}) };
}
