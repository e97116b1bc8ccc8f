import { OPERATION_ACTIONS } from '../operations.js';
import { feeding } from './feeding.js';
import { proposing } from './proposing.js';
import { setting } from './setting.js';

/** The writing commands; each answers what the command prints with --json. */
export const ACTIONS = [...OPERATION_ACTIONS, ...feeding, ...proposing, ...setting];
