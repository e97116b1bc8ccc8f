import { z } from 'zod';
import { forgetPreviewDocument, forgottenDocument } from '../../presentation/forgetting.js';
import type { Input } from '../../service/contract/index.js';
import { defineAction } from '../action.js';
import { name } from '../parameters.js';
import { machineOf } from '../route.js';

const what = {
  source: name('a source key, a source_file, or the end of one'),
  session: name('this session'),
  wing: name('everything in this wing'),
  run: z.int().min(1).describe('everything that this run filed last').optional(),
  backups: z
    .boolean()
    .default(false)
    .describe('remove kept backups that contain it, and damaged palaces, instead of rewriting them'),
};

type What = z.output<z.ZodObject<typeof what>>;

const isOne = ({ source, session, wing, run }: Partial<What>): boolean =>
  [source, session, wing, run].filter((each) => each !== undefined).length === 1;
const ONE = 'give one of source, session, wing and run';

function askedOf({ source, session, wing, run, backups: removeBackups }: What): Input<'forgetPreview'> {
  if (source !== undefined) return { what: { by: 'source', name: source, paths: [] }, removeBackups };
  if (session !== undefined) return { what: { by: 'session', value: session }, removeBackups };
  if (wing !== undefined) return { what: { by: 'wing', value: wing }, removeBackups };
  return { what: { by: 'run', value: run ?? 0 }, removeBackups };
}

const preview = defineAction({
  path: '/forget/preview',
  command: 'mempalace forget --dry-run',
  summary: 'What would be erased for good; only the page of this machine may ask',
  body: z.strictObject(what).refine(isOne, ONE),
  documents: ['forgetDryRun'],
  reads: true,
  async act(body, asked) {
    const machine = machineOf(asked);
    const found = await asked.service.forgetPreview(askedOf(body), asked.call);
    return forgetPreviewDocument(found, machine.staged([...found.sources, ...found.forgotten]));
  },
});

const forget = defineAction({
  path: '/forget',
  command: 'mempalace forget --preview',
  summary: 'Erases exactly what a preview showed, for good; only the page of this machine may ask',
  body: z
    .strictObject({ ...what, preview: z.string().min(1).describe('`preview` of the preview') })
    .refine(isOne, ONE),
  documents: ['forget'],
  long: true,
  async act({ preview, ...body }, asked) {
    machineOf(asked);
    return forgottenDocument(await asked.service.forget({ ...askedOf(body), preview }, asked.call));
  },
  // Neither names nor keys: the log is not erased.
  logged: ({ preview, backups }) => ({ preview, backups }),
});

export const forgetting = [preview, forget];
