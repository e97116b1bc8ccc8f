import { snakeNamed } from '../core/case.js';
import type { Output } from '../service/contract/index.js';
import { present } from './drawers.js';

export type Task = Output<'addTask'>['task'];

/** A task for programs. */
export function taskJson({ id, text, state, agent, ...rest }: Task) {
  return { id, text, state, agent, ...snakeNamed(rest) };
}

/** A task for an agent, without empty fields. */
export function taskFor({ id, text, state, ...rest }: Task) {
  return { id, state, text, ...present(snakeNamed(rest)) };
}
