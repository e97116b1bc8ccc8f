import type { Batch, Skipped, StagedSource } from '../../core/contract.js';
import { documentKey } from '../../core/source-key.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { commitDates } from './commit-dates.js';
import { HEAD_BYTES } from './content.js';
import type { IdentifiedProject } from './project.js';
import { readDocument, UnreadDocument } from './read.js';
import { completeness, stagedAs } from './stage.js';

export interface PreviewOptions {
  filedAs: (sourceKey: string) => { mtimeMs: number; bytes: number; hash: string } | undefined;
  sanitiser: Sanitiser;
  signal: AbortSignal;
  /** If given, every document is read and passed to it, decoded and sanitised. */
  onRead?: (source: StagedSource, content: string) => void;
}

/**
 * The batch that staging would make. Nothing is written. In a new project, only documents larger than the head that the
 * survey read are read, since they may be binary. In a known project, documents with another mtime are read, since
 * their text may be unchanged.
 */
export async function previewBatch(identified: IdentifiedProject, options: PreviewOptions): Promise<Batch> {
  const { filedAs, sanitiser, signal, onRead } = options;
  const { project, wing, root, complete, known, survey } = identified;
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
  return { sources, skipped, project, ...(complete ? { complete: completeness(identified, unread) } : {}) };
}
