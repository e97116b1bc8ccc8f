import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { defineAction } from '../action.js';
import { machineOf } from '../route.js';

const docs = defineAction({
  path: '/run/docs',
  command: 'mempalace-docs',
  summary: 'Starts filing a listed project; events tell how far it is; only the page of this machine may ask',
  body: z.strictObject({
    project: z.string().min(1).describe('its folder, as `mempalace projects` lists it'),
  }),
  documents: ['runStarted'],
  async act({ project }, asked) {
    const { projects } = machineOf(asked).projects();
    if (!projects.some(({ dir }) => dir === project))
      throw new UserError('not-found', `${project} is not a listed project`, {
        hint: 'mempalace projects add lists it',
      });
    return asked.feederRuns.start('mempalace-docs', ['--', project]);
  },
  logged: (body) => body,
});

const session = defineAction({
  path: '/run/session',
  command: 'mempalace-session',
  summary: 'Starts filing new and grown sessions of opencode; only the page of this machine may ask',
  body: z.strictObject({}),
  documents: ['runStarted'],
  async act(_, { feederRuns }) {
    return feederRuns.start('mempalace-session', []);
  },
});

export const feeding = [docs, session];
