import { snakeNamed } from '../core/case.js';
import { dayOfMoment } from '../core/day.js';
import { NOTICE } from '../core/outside.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

/** A page of diary entries. */
export function diaryDocument(
  { entries, total }: Output<'readDiary'>,
  offset: number,
): Document<'diaryRead'> {
  return { notice: NOTICE, entries: entries.map(entryJson), total, showing: entries.length, offset };
}

/** Its text comes last, after all that is short. */
export function entryJson({ timestamp, content, ...entry }: Output<'readDiary'>['entries'][number]) {
  return { ...snakeNamed(entry), date: dayOfMoment(timestamp), timestamp, content };
}
