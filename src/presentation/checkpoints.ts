import { snakeNamed } from '../core/case.js';
import { NOTICE } from '../core/outside.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

type Found = Output<'checkpoints'>;

export function checkpointsDocument(
  { checkpoints, total }: Found,
  offset: number,
): Document<'checkpointList'> {
  const entries = checkpoints.map(({ content: _, ...entry }) => snakeNamed(entry));
  return { notice: NOTICE, checkpoints: entries, total, showing: entries.length, offset };
}

/** Its text comes last, after all that is short. */
export function checkpointJson({ content, ...entry }: Found['checkpoints'][number]) {
  return { ...snakeNamed(entry), content };
}
