/** What read, changed or spoke of a file: as JSON, and as words. */
import { snakeNamed } from '../core/case.js';
import { NOTICE } from '../core/outside.js';
import { plural } from '../core/plural.js';
import type { ByFile } from '../service/contract/index.js';
import { sourceJson } from './drawers.js';

/** Uses per source. */
export const USES_SHOWN = 10;

type FileSource = ByFile['sources'][number];

/** What read, changed or spoke of a file. */
export function byFileJson({ file, paths, sources, total, unread }: ByFile): Record<string, unknown> {
  return { notice: NOTICE, file, paths, total, unread, sources: sources.map(fileSourceJson) };
}

function fileSourceJson(source: FileSource): Record<string, unknown> {
  const { title, day, uses, usesTotal, drawers } = source;
  return {
    ...sourceJson(source, drawers),
    title,
    day,
    uses: uses.map(useJson),
    uses_total: usesTotal,
  };
}

/** One use of a file. */
export const useJson = (use: FileSource['uses'][number]): Record<string, unknown> => snakeNamed(use);

/** Remarks on an answer, for the user or an agent. */
export function fileNotes({ file, total, unread }: ByFile): string[] {
  return [
    ...(total === 0 ? [`nothing filed read, changed or spoke of ${JSON.stringify(file)}`] : []),
    ...(unread === 0
      ? []
      : [
          `the files of ${plural(unread, 'session')} are not known yet; the next run that files sessions finds them`,
        ]),
  ];
}
