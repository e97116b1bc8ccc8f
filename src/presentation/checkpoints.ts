import { snakeNamed } from '../core/case.js';
import { UserError } from '../core/errors.js';
import { NOTICE } from '../core/outside.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

type Found = Output<'checkpoints'>;

/** A page of checkpoints, without their texts. */
export function checkpointsDocument(
  { checkpoints, total }: Found,
  offset: number,
): Document<'checkpointList'> {
  const entries = checkpoints.map(({ content: _, ...entry }) => snakeNamed(entry));
  return { notice: NOTICE, checkpoints: entries, total, showing: entries.length, offset };
}

/** A checkpoint with its text. */
export function checkpointDocument(found: Found['checkpoints'][number]): Document<'checkpointShow'> {
  return { notice: NOTICE, ...checkpointJson(found) };
}

/** Its text comes last, after all that is short. */
export function checkpointJson({ content, ...entry }: Found['checkpoints'][number]) {
  return { ...snakeNamed(entry), content };
}

/** The error for a session without a checkpoint, or an unknown name. */
export function noCheckpoint(name: string): UserError {
  return new UserError('not-found', `no checkpoint of ${JSON.stringify(name)}`, {
    hint: 'mempalace checkpoint list shows them; mempalace checkpoint --session <id> makes one',
  });
}
