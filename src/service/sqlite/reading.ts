import { UserError } from '../../core/errors.js';
import { findTarget, placeOf } from '../../reading/index.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';
import { Views } from '../palace/views.js';

type Place = ReturnType<typeof placeOf>;

export function show(palace: Palace, { name, paths, radius, within }: Input<'show'>): Output<'show'> {
  return palace.snapshot(() => {
    const views = new Views(palace);
    const target = findTarget(palace, name, paths, within);
    if (target.kind === 'drawer')
      return { kind: 'drawer', ...placed(placeOf(palace, target.drawer, radius), views) };
    const { source } = target;
    const turns = source.kind === 'conversation' ? views.turns(source.id) : null;
    const dates = turns === null ? [] : palace.reading.datesOf(source.id);
    const { priority, pinned } = palace.priorities.of('sources', source.id);
    return { kind: 'source', source: views.source(source), priority, pinned, turns, dates };
  });
}

/** A part of a source's text. Only the needed pieces are read. */
export function text(palace: Palace, input: Input<'text'>): Output<'text'> {
  const { sourceKey, hash, offset, chars, from = { piece: 0, start: 0 }, within } = input;
  return palace.snapshot(() => {
    const source = palace.sources.byKey(sourceKey);
    if (source?.hash !== hash || (within !== undefined && source.wing !== within))
      throw new UserError('failed', 'the text was changed or removed while it was read', {
        hint: 'read it again from its beginning',
      });
    let found = '';
    let { piece, start } = from;
    for (const whole of palace.sources.texts(source.id, piece)) {
      found += whole.slice(Math.max(0, offset - start));
      piece += 1;
      start += whole.length;
      if (found.length >= chars) break;
    }
    const isMore = piece > from.piece && start < source.chars;
    return isMore ? { text: found, next: { piece, start } } : { text: found };
  });
}

function placed({ drawer, count, passage, previous, next }: Place, views: Views) {
  const shown = passage.map((other) => views.drawer(other));
  return { drawer: views.drawer(drawer), count, passage: shown, previous, next };
}
