import { BAR } from '../../core/outside.js';
import type { Related } from '../../search/index.js';
import { shownId, titleOf } from './labels.js';
import type { HitsShown } from './print-hits.js';
import { line } from './terminal.js';
import { shorten } from './width.js';

/** Where the documents of hits lead, a line each. Lines end in line feeds. */
export function renderRelated(related: readonly Related[], { view }: Pick<HitsShown, 'view'>): string {
  const { paint, width } = view;
  const rows = related.map(({ drawer, link }) => {
    const text = `${titleOf(drawer)}  [[${line(link)}]]  ${line(`${drawer.wing} / ${drawer.room}`)}`;
    const id = shownId(drawer.drawerId, view);
    const room = width === undefined ? undefined : width - id.length - 4;
    return `${paint('dim', id)}  ${BAR}${room === undefined ? text : shorten(text, room)}`;
  });
  return [paint('dim', 'linked from these'), ...rows].map((row) => `${row}\n`).join('');
}
