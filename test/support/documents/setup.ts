import { z } from 'zod';
import { documents } from '../../../src/rest/documents.js';
import { count, line, model, scheduler, text } from './words.js';

/** Settings, models, schedules, agents. */
export const setup = {
  configPath: z.strictObject({ path: text, exists: z.boolean() }),
  modelList: z.strictObject({
    folder: text,
    configured: z.strictObject({ id: text, origin: text }),
    palace: model.nullable(),
    models: z.array(
      z.strictObject({
        id: text,
        revision: text,
        dimension: line.nullable(),
        licence: text.nullable(),
        purpose: text,
        repository: text.nullable(),
        folder: text.nullable(),
        here: z.boolean(),
        bytes: count.nullable(),
        leaves_process: z.boolean(),
        leaves_machine: z.boolean(),
        configured: z.boolean(),
        in_palace: z.boolean(),
      }),
    ),
  }),
  modelPath: z.strictObject({ id: text, folder: text, here: z.boolean() }),
  modelVerify: z.strictObject({
    models: z.array(
      model.extend({
        files: z.array(z.strictObject({ name: text, bytes: count, sha256: text.optional() })),
        seconds: z.number().min(0),
      }),
    ),
  }),
  modelUse: z.strictObject({
    model: text,
    file: text,
    palace: model.nullable(),
    reembed: z.boolean(),
    leaves_process: z.boolean(),
    leaves_machine: z.boolean(),
  }),
  init: z.strictObject({
    command: z.literal('mempalace init'),
    dry_run: z.literal(true).optional(),
    file: text,
    existed: z.boolean(),
    written: z.boolean(),
    wing: text,
    rooms: z.array(
      z.strictObject({
        name: text,
        description: text.nullable(),
        keywords: z.array(text),
        documents: count,
      }),
    ),
    others: z.array(z.strictObject({ name: text, documents: count })),
  }),
  manifest: z.strictObject({
    command: z.literal('mempalace manifest'),
    dry_run: z.literal(true).optional(),
    file: text,
    listed: count,
    added: z.array(text),
    gone: z.array(text),
    wrong: z.array(z.strictObject({ line: count, reason: text })),
    written: z.boolean(),
  }),
  initLayout: z.strictObject({
    command: z.literal('mempalace init'),
    dry_run: z.literal(true).optional(),
    layout: z.literal('palace'),
    root: text,
    wing: text,
    made: z.array(text),
    kept: z.array(text),
    cold: z.strictObject({ place: text, added: z.boolean() }),
  }),
  completion: z.strictObject({ shell: z.enum(['bash', 'zsh', 'fish']), script: text }),
  version: z.strictObject({
    version: text.regex(/^\d+\.\d+\.\d+$/),
    commit: text.regex(/^[0-9a-f]{7,}(-dirty)?$/).nullable(),
  }),
  projectsChanged: z.strictObject({
    ...documents.projects.shape,
    changed: z.boolean(),
    approved: z.boolean().nullable(),
  }),
  scheduleSteps: z.strictObject({
    action: z.enum(['install', 'remove']),
    dry_run: z.boolean(),
    steps: z.array(
      z.strictObject({
        scheduler,
        what: text,
        done: z.enum([
          'written',
          'replaced',
          'unchanged',
          'started',
          'stopped',
          'removed',
          'absent',
          'skipped',
          'note',
        ]),
        why: text.nullable(),
      }),
    ),
  }),
  setupChanges: z.strictObject({
    command: text,
    dry_run: z.literal(true).optional(),
    action: z.enum(['setup', 'undo']),
    agents: z.array(z.strictObject({ id: text, name: text })),
    changes: z.array(
      z.strictObject({
        agent: text.nullable(),
        steps: z.array(text).min(1),
        what: text,
        done: z.enum([
          'created',
          'changed',
          'linked',
          'removed',
          'filed',
          'scheduled',
          'unchanged',
          'skipped',
          'not confirmed',
        ]),
        why: text.nullable(),
        difference: z.array(text),
      }),
    ),
  }),
  mcpChange: z.strictObject({
    action: z.enum(['install', 'remove']),
    dry_run: z.boolean(),
    client: text,
    file: text,
    done: z.enum(['installed', 'removed', 'unchanged']),
    command: z.array(text).min(1).nullable(),
    url: text.nullable(),
  }),
  ui: z.strictObject({ url: text, opened: z.boolean() }),
  mcpPrint: z.strictObject({
    action: z.literal('print'),
    command: z.array(text).min(1).nullable(),
    url: text.nullable(),
    clients: z.array(z.strictObject({ client: text, file: text, text })).min(1),
  }),
};
