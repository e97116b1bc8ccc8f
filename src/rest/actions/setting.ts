import { z } from 'zod';
import { PAGE_SETTINGS } from '../../config/table.js';
import { documents } from '../../presentation/documents/index.js';
import { defineAction } from '../action.js';
import { machineOf } from '../route.js';

const MOST_CHARS = 100;

const key = z.enum(PAGE_SETTINGS).describe('its name in the configuration file');

const set = defineAction({
  path: '/config/set',
  command: 'mempalace config set',
  summary: 'Changes a search or wake-up setting; running programs keep theirs (page of this machine only)',
  body: z.strictObject({ key, value: z.string().min(1).max(MOST_CHARS).describe('as on the command line') }),
  documents: ['configChanged'],
  async act({ key, value }, asked) {
    return documents.configChanged.parse(await machineOf(asked).changeSetting(key, value, asked.call.signal));
  },
  logged: (body) => body,
});

const unset = defineAction({
  path: '/config/unset',
  command: 'mempalace config unset',
  summary: 'Removes such a setting from the configuration file; only the page of this machine may ask',
  body: z.strictObject({ key }),
  documents: ['configChanged'],
  async act({ key }, asked) {
    return documents.configChanged.parse(
      await machineOf(asked).changeSetting(key, undefined, asked.call.signal),
    );
  },
  logged: (body) => body,
});

export const setting = [set, unset];
