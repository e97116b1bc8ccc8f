/** What a search found, for people. */
import { line, NOTICE } from '../../core/outside.js';
import { matcherOf } from '../../search/matches.js';
import type { View } from '../../terminal/labels.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { Found } from './found.js';
import type { SearchInput } from './index.js';
import { dashedWords, wordsAlone } from './notes.js';
import { renderHits, renderIndex, renderRelated } from './print.js';

type Shown = Pick<SearchInput, 'offset' | 'explain'> & Partial<Pick<SearchInput, 'format' | 'batch'>>;

/** What each terminal was warned of: the next query of a batch has the same trouble. */
const WARNED = new WeakMap<Terminal, string>();

/** @returns 'nothing found' if the exit code is to say so */
export function say(
  { query, hits, notes, trouble }: Found,
  terminal: Terminal,
  { format, batch = false }: Shown,
): 'nothing found' | undefined {
  const { json, quiet } = terminal.options;
  const [alone] = wordsAlone({ trouble }, true);
  if (alone !== undefined && alone !== WARNED.get(terminal)) terminal.warn(line(alone));
  if (alone !== undefined) WARNED.set(terminal, alone);
  if (!json && !batch) {
    for (const note of [...notes, ...dashedWords(query)]) terminal.note(note);
    // One line per hit leaves no space for the notice; quoted text cannot leave its line.
    if (format === 'index' && hits.length > 0) terminal.note(`results (${NOTICE})`);
  }
  return hits.length === 0 && quiet ? 'nothing found' : undefined;
}

export function rendered(
  { query, hits, absent, related = [] }: Found,
  view: View,
  { format, offset, explain }: Shown,
): string | undefined {
  if (hits.length === 0) return undefined;
  const shown = { matcher: matcherOf(query, absent), offset, explain, view };
  const text = format === 'index' ? renderIndex(hits, shown) : renderHits(hits, shown);
  return related.length === 0 ? text : text + renderRelated(related, view);
}
