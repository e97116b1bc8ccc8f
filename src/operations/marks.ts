/** How important passages and sources are. */
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { UserError } from '../core/errors.js';
import { PRIORITIES } from '../core/importance.js';
import { line } from '../core/outside.js';
import { isOfKind, KEY_KIND } from '../core/source-key.js';
import { write } from '../service/palace/writer.js';
import { drawerId, field, folders, name, text, within } from './fields.js';
import { operation } from './operation.js';
import { inItself } from './wing.js';

const marked = z.nullable(z.enum(PRIORITIES));

export const marks = {
  set: operation({
    name: 'set',
    summary: 'Set how important a passage, document or session is',
    unsigned: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        name: field(text(), 'a drawer id, a session id, or a source_file (or the end of one)', {
          cli: '<what>',
          hits: true,
        }),
        priority: field(z.optional(z.enum([...PRIORITIES, 'none'])), 'the priority; none removes it', {
          cli: '--priority <p>',
        }),
        pinned: field(z.optional(z.boolean()), 'always print it in wake-up, regardless of its age', {
          cli: '--pin',
          off: ['--unpin', 'undo --pin'],
        }),
        folders: folders(),
        within: within(),
      }),
    output: () =>
      z.strictObject({
        kind: z.enum(['drawer', 'source']),
        drawer_id: z.nullable(drawerId),
        source_key: z.string(),
        source_file: z.string(),
        title: name,
        /** As it applies: set, else found in the source; a drawer has that of its source, too. */
        priority: marked,
        set_priority: marked,
        pinned: z.boolean(),
        set_pinned: z.boolean(),
        former_priority: marked,
        former_pinned: z.boolean(),
      }),
    check({ priority, pinned }) {
      if (priority !== undefined || pinned !== undefined) return;
      throw new UserError('usage', 'nothing to set', {
        hint: 'give --priority high|medium|low|none, --pin or --unpin',
      });
    },
    async run({ name, folders, within, priority: given, pinned }, context) {
      const { findTarget } = await import('../reading/find.js');
      const paths = folders.map((folder) => resolve(folder, name));
      const priority = given === 'none' ? null : given;
      return write(context, context.call, async (palace, run) =>
        palace.transaction(() => {
          const target = findTarget(palace, name, paths, within);
          const { kind } = target;
          const marked = kind === 'drawer' ? target.drawer : target.source;
          if ((pinned === true || priority === 'high') && isOfKind(marked.sourceKey, KEY_KIND.summary))
            throw new UserError(
              'usage',
              'a summary by a model can neither be pinned nor have a high priority',
              {
                hint: 'wake-up would quote it: choose a passage of its session instead',
              },
            );
          const row = [kind === 'drawer' ? 'drawers' : 'sources', marked.id] as const;
          const former = palace.priorities.of(...row);
          palace.priorities.set(...row, { priority, pinned });
          palace.runs.add(run, { exitCode: 0, counts: { marked: 1 }, skipped: [] });
          return {
            kind,
            drawer_id: kind === 'drawer' ? target.drawer.drawerId : null,
            source_key: marked.sourceKey,
            source_file: marked.sourceFile,
            title: marked.title || null,
            ...palace.priorities.of(...row),
            former_priority: former.set_priority,
            former_pinned: former.set_pinned,
          };
        }),
      );
    },
    text(document, terminal) {
      const { drawer_id, title, source_file, priority, set_priority, pinned, set_pinned } = document;
      const name = line(title ?? source_file);
      const which = drawer_id === null ? name : `${drawer_id} of ${name}`;
      const since = set_priority === null && priority !== null ? ' (not set here)' : '';
      const pin = pinned ? (set_pinned ? ', pinned' : ', pinned with its source') : '';
      terminal.say(`${which}: priority ${priority ?? 'none'}${since}${pin}`);
    },
    address: 'Pins a source or a drawer, or sets its priority; the answer names the former values',
    logged: ['name', 'priority', 'pinned'],
  }),
};
