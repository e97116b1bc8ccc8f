import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { day, drawerId, field, named, within } from '../fields.js';
import { operation } from '../operation.js';
import { drawer, source } from '../source.js';
import { told } from '../told.js';
import { inItself } from '../wing.js';

/** Ids of one text's drawers in an answer, at most. */
const IDS_SHOWN = 20;

/** A drawer, and the whole text that it is a part of, if an agent filed that. */
export const getDrawer = operation({
  name: 'drawer show',
  quotes: true,
  reads: true,
  inWing: inItself,
  input: () =>
    z.strictObject({
      drawer_id: field(named(), 'its id or the beginning of it, or its id before an import', { agents: '' }),
      within: within(),
    }),
  output: () =>
    z.strictObject({
      ...source.shape,
      ...drawer.shape,
      date: day,
      /** The whole text, and its drawers, if it has several. */
      content: z.optional(z.string()),
      drawers: z.optional(z.array(drawerId)),
    }),
  async run({ drawer_id: id, within }, { handle }) {
    const [{ findTarget }, shown] = await Promise.all([
      import('../../reading/find.js'),
      import('../drawer-fields.js'),
    ]);
    const palace = handle.get();
    return palace.snapshot(() => {
      const target = findTarget(palace, id, [], within);
      if (target.kind === 'source')
        throw new UserError('usage', `${JSON.stringify(id)} is a source, not a drawer`, {
          hint: 'mempalace_show reads a whole source',
        });
      const { sourceId, sourceKey, kind, day, ...view } = target.drawer;
      const turns = kind === 'conversation' ? (palace.sources.turnsOf(sourceId) ?? null) : null;
      const content = isOfKind(sourceKey, KEY_KIND.drawer) ? palace.sources.textOf(sourceId) : view.text;
      const first = () => palace.reading.drawersBetween(sourceId, 0, IDS_SHOWN - 1);
      return {
        ...shown.sourceFields(target.drawer),
        source_key: sourceKey,
        ...shown.drawerJson({ ...target.drawer, pinned: view.pinned === 1, turns }),
        date: day,
        ...(content !== view.text && { content, drawers: first().map(({ drawerId }) => drawerId) }),
      };
    });
  },
  opens: ({ drawer_id }) => [drawer_id],
  tool: {
    name: 'mempalace_get_drawer',
    title: 'One drawer with all its fields',
    description:
      'The whole text of one drawer and its source. For a text filed by add_drawer: all of it, across its drawers.',
    answer({ drawer_id, text, content = text, turns, drawers, date, ...shown }) {
      const { chunk_index: _, text_kind: _kind, pinned, ...fields } = shown;
      const { kind, wing, room } = fields;
      const speakers = turns === null ? { turns_unknown: true } : { turns };
      return {
        ...{ drawer_id, content, wing, room },
        ...(kind === 'conversation' && speakers),
        metadata: told({ ...fields, pinned: pinned || null, added: date }),
        ...(drawers && { chunk_ids: drawers }),
      };
    },
  },
});
