/** What a name stands for, and texts in parts: commands, addresses and tools make their documents of these. */
import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { findLines } from '../../reading/find.js';
import { placeOf } from '../../reading/timeline.js';
import type { Shown } from '../../service/contract/index.js';
import { Views } from '../../service/palace/views.js';
import { within } from '../fields.js';
import { procedure } from '../operation.js';
import { inItself } from '../wing.js';

const units = (least: number) => z.int().check(z.minimum(least));

/** Where a part of a text begins: the number of a stored piece, and its offset in the text. */
const from = () => z.strictObject({ piece: units(0), start: units(0) });

export const showing = {
  show: procedure({
    name: 'show',
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        /** Of a drawer or a source: an id, a key, a session, a file or the end of its name; with `:line` or `:line:count`. */
        name: z.string(),
        /** Further names for the same. */
        paths: z._default(z.array(z.string()), []),
        radius: z._default(units(0), 0),
        /** Only passed on the way to another: it does not count as opened. */
        preview: z._default(z.boolean(), false),
        within: within(),
      }),
    run({ name, paths, radius, preview, within }, { handle }): { found: Shown; opened: string[] } {
      const palace = handle.get();
      return palace.snapshot(() => {
        const views = new Views(palace);
        const target = findLines(palace, name, paths, within);
        if (target.kind === 'drawer') {
          const {
            drawer: row,
            passage,
            count,
            previous,
            next,
          } = placeOf(palace, target.drawer, radius, target.end);
          const [drawer, around] = [views.drawer(row), passage.map((each) => views.drawer(each))];
          const found = { kind: 'drawer' as const, drawer, count, passage: around, previous, next };
          return { found, opened: preview ? [] : [drawer.drawerId] };
        }
        const { id, sourceKey, kind } = target.source;
        const turns = kind === 'conversation' ? views.turns(id) : null;
        const dates = turns === null ? [] : palace.reading.datesOf(id);
        const { priority, pinned } = palace.priorities.of('sources', id);
        const source = views.source(target.source);
        const found = { kind: 'source' as const, source, priority, pinned, turns, dates };
        return { found, opened: preview ? [] : palace.reading.firstDrawerOf(sourceKey) };
      });
    },
    opens: ({ opened }) => opened,
  }),
  /** A part of a source's text. Only the needed pieces are read. */
  textPart: procedure({
    name: 'show part',
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        sourceKey: z.string(),
        /** Of the text that is read: a changed one is refused. */
        hash: z.string(),
        /** UTF-16 units that are skipped. */
        offset: units(0),
        /** UTF-16 units that are wanted; the answer may be longer. */
        chars: units(1),
        /** The `next` of an answer at or before the offset, so that nothing is read twice. */
        from: z._default(from(), { piece: 0, start: 0 }),
        within: within(),
      }),
    /** `next`: what follows the part; absent after the last. */
    run({ sourceKey, hash, offset, chars, from, within }, { handle }) {
      const palace = handle.get();
      return palace.snapshot(() => {
        const source = palace.sources.byKey(sourceKey);
        if (source?.hash !== hash || (within !== undefined && source.wing !== within))
          throw new UserError('failed', 'the text was changed or removed while it was read', {
            hint: 'read it again from its beginning',
          });
        let text = '';
        let { piece, start } = from;
        for (const whole of palace.sources.texts(source.id, piece)) {
          text += whole.slice(Math.max(0, offset - start));
          piece += 1;
          start += whole.length;
          if (text.length >= chars) break;
        }
        const isMore = piece > from.piece && start < source.chars;
        return isMore ? { text, next: { piece, start } } : { text };
      });
    },
  }),
};
