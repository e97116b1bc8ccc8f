import { z } from 'zod';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { checkpointDocument, checkpointsDocument, noCheckpoint } from '../../presentation/checkpoints.js';
import { OCCURRENCES_SHOWN, patternsJson } from '../../presentation/patterns.js';
import { limit, name, offset } from '../parameters.js';
import { defineRoute } from '../route.js';

const PATTERNS = 20;
const CHECKPOINTS = 20;

const patterns = defineRoute({
  path: '/patterns',
  command: 'mempalace patterns',
  summary: 'What recurs across sessions, most often first',
  query: z.strictObject({
    kind: z.enum(PATTERN_KINDS).describe('only this kind').optional(),
    file: name('only errors that concern this file, or were fixed by changing it'),
    directory: name('only errors of sessions in this folder and below, absolute'),
    limit: limit(PATTERNS),
    offset,
  }),
  documents: ['patterns'],
  async answer(asked, { service, call }) {
    return patternsJson(await service.patterns({ ...asked, occurrences: OCCURRENCES_SHOWN }, call));
  },
});

const checkpoints = defineRoute({
  path: '/checkpoint/list',
  command: 'mempalace checkpoint list',
  summary: 'Where sessions stood, newest first',
  query: z.strictObject({
    session: name('only of this session: its key or its id'),
    limit: limit(CHECKPOINTS),
    offset,
  }),
  documents: ['checkpointList'],
  inWing: true,
  async answer({ session, ...page }, { service, call }) {
    const found = await service.checkpoints({ name: session, ...page }, call);
    return checkpointsDocument(found, page.offset);
  },
});

const checkpoint = defineRoute({
  path: '/checkpoint/show',
  command: 'mempalace checkpoint show',
  summary: 'A checkpoint',
  query: z.strictObject({
    name: z.string().min(1).describe('its key, or the id of a session for the last one'),
  }),
  documents: ['checkpointShow'],
  inWing: true,
  async answer({ name }, { service, call }) {
    const { checkpoints } = await service.checkpoints({ name, limit: 1, offset: 0 }, call);
    if (checkpoints[0] === undefined) throw noCheckpoint(name);
    return checkpointDocument(checkpoints[0]);
  },
});

export const knowing = [patterns, checkpoints, checkpoint];
