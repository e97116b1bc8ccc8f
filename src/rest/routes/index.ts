import { OPERATION_ROUTES } from '../operations.js';
import { finding } from './finding.js';
import { listing } from './listing.js';

/** The reading commands; each answers what the command prints with --json. */
export const ROUTES = [...finding, ...listing, ...OPERATION_ROUTES];
