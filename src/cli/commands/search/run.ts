import { createInterface } from 'node:readline';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { isWeak, nothingFound, weaklyFound } from '../../../presentation/nothing-found.js';
import { type Hit, linkedFrom, type Related } from '../../../search/index.js';
import type { Palace } from '../../../store/index.js';
import { EXIT } from '../../app/exit.js';
import { openPalace } from '../../app/open-palace.js';
import type { CommandContext } from '../../app/runner.js';
import { type View, viewOf } from '../../terminal/labels.js';
import { openOutput } from '../../terminal/pager.js';
import { type HitsShown, renderHits, renderIndex, renderRelated } from '../../terminal/print-hits.js';
import { type SearchConfig, type SearchFlags, searchConfig } from './config.js';
import { searchJson } from './json.js';

/** `mempalace search "<question>"`. Returns the exit code. */
export async function runSearch(
  context: CommandContext,
  flags: SearchFlags,
  words: readonly string[],
): Promise<number> {
  const question = words.join(' ');
  if (question.trim() === '' && flags.batch !== true) {
    throw new UserError('usage', 'the question is empty', { hint: 'mempalace search "what to look for"' });
  }
  if (question.trim() !== '' && flags.batch === true) {
    throw new UserError('usage', '--batch reads its questions from stdin, not from the command line');
  }
  const { terminal } = context;
  const { folders } = context;
  const config = searchConfig(flags, context.config.search, { now: new Date(), home: folders.home });
  const [palace, { QueryEmbedder }] = await Promise.all([
    openPalace(folders.palace, terminal),
    import('../../app/query-embedder.js'),
  ]);
  const embedder = new QueryEmbedder(palace, context);
  const view = viewOf(terminal, folders.home, palace);
  const { turnsOf } = view;
  try {
    const ask = (text: string): Promise<Hit[]> => embedder.search({ ...config, question: text });
    let found = 0;
    if (config.batch) {
      for await (const text of createInterface({ input: terminal.io.stdin, signal: context.signal })) {
        context.signal.throwIfAborted();
        const hits = await ask(text);
        found += hits.length;
        terminal.json(
          searchJson(text, hits, config, {
            notes: [...embedder.notes, ...notesOn(text, hits, config, palace)],
            related: relatedTo(hits, config, palace),
            turnsOf,
          }),
        );
      }
      context.signal.throwIfAborted();
    } else {
      const hits = await ask(question);
      context.signal.throwIfAborted();
      found = hits.length;
      const notes = notesOn(question, hits, config, palace);
      const related = relatedTo(hits, config, palace);
      if (terminal.options.json)
        terminal.json(
          searchJson(question, hits, config, { notes: [...embedder.notes, ...notes], related, turnsOf }),
        );
      else {
        for (const note of notes) terminal.note(note);
        if (found > 0)
          await showHits({ hits, related: related ?? [] }, question, config, flags.pager, view, context);
      }
    }
    return found === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  } finally {
    await embedder.close();
    palace.close();
  }
}

/** What is to be said beside the hits. */
function notesOn(question: string, hits: readonly Hit[], config: SearchConfig, palace: Palace): string[] {
  if (hits.length === 0) return nothingFound(question, config, palace.rooms());
  return isWeak(hits) ? weaklyFound(hits, config) : [];
}

/** Documents that are named beside hits, at most. */
const LINKED = 5;

/** Undefined where nobody asked for them. */
function relatedTo(hits: readonly Hit[], config: SearchConfig, palace: Palace): Related[] | undefined {
  return config.links ? linkedFrom(palace, hits, { limit: LINKED, filter: config.filter }) : undefined;
}

async function showHits(
  { hits, related }: { hits: readonly Hit[]; related: readonly Related[] },
  question: string,
  config: SearchConfig,
  pager: boolean,
  view: View,
  { terminal, env }: CommandContext,
): Promise<void> {
  const shown: HitsShown = {
    question,
    offset: config.offset,
    explain: config.explain,
    view,
    hint: !terminal.options.quiet,
  };
  // One line a hit has no room for it; what follows cannot leave its line.
  if (config.format === 'index') terminal.note(`results (${NOTICE})`);
  const output = openOutput(terminal, { wanted: pager, env });
  await output.write(config.format === 'index' ? renderIndex(hits, shown) : renderHits(hits, shown));
  if (related.length > 0) await output.write(renderRelated(related, view));
  await output.end();
}
