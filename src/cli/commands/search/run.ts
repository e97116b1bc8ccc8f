import { createInterface } from 'node:readline';
import { coverageNote } from '../../../core/coverage.js';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { workingFolder } from '../../../platform/checkout.js';
import { nothingFound, phrasesNotFound, weaklyFound } from '../../../presentation/nothing-found.js';
import { scopeOf } from '../../../presentation/scope.js';
import { type Hit, linkedFrom, type Related } from '../../../search/index.js';
import type { Palace } from '../../../store/index.js';
import { EXIT } from '../../app/exit.js';
import { withPalace } from '../../app/open-palace.js';
import type { CommandContext } from '../../app/runner.js';
import { viewOf } from '../../terminal/labels.js';
import { matcherOf } from '../../terminal/matches.js';
import { printLong } from '../../terminal/pager.js';
import { type HitsShown, renderHits, renderIndex, renderRelated } from '../../terminal/print-hits.js';
import { jsonText } from '../../terminal/terminal.js';
import { type SearchConfig, type SearchFlags, searchConfig } from './config.js';
import { searchJson } from './json.js';

export async function runSearch(
  context: CommandContext,
  flags: SearchFlags,
  words: readonly string[],
): Promise<number> {
  const question = words.join(' ');
  if (question.trim() === '' && flags.batch !== true) {
    throw new UserError('usage', 'the query is empty', { hint: 'mempalace search "what to look for"' });
  }
  if (question.trim() !== '' && flags.batch === true) {
    throw new UserError('usage', '--batch reads queries from stdin, not from the command line');
  }
  const { terminal, folders } = context;
  const asked = searchConfig(flags, context.config.search, folders.home);
  const { QueryEmbedder } = await import('../../app/query-embedder.js');
  return withPalace(context, async (palace) => {
    const embedder = new QueryEmbedder(palace, context);
    const view = viewOf(terminal, folders.home, palace);
    const where = { ...asked, folders: workingFolder(), cure: '--everywhere searches all alike' };
    const { notes: scopeNotes, ...scoped } = scopeOf(palace, asked.filter, where);
    const config = { ...asked, ...scoped };
    let found = 0;
    const answer = async (text: string): Promise<void> => {
      const { hits, absent } = await embedder.search({ ...config, question: text });
      context.signal.throwIfAborted();
      found += hits.length;
      const partly = embedder.isUsed ? coverageNote(palace.vectors.coverage()) : undefined;
      const notes = [
        ...(partly === undefined ? [] : [partly]),
        ...(hits.length > 0 ? scopeNotes : []),
        ...phrasesNotFound(absent),
        ...notesOn(text, hits, config, palace),
      ];
      const matcher = matcherOf(text, absent);
      const related = config.links
        ? linkedFrom(palace, hits, { limit: LINKED, filter: config.filter })
        : undefined;
      if (config.batch || terminal.options.json) {
        const all = [...embedder.notes, ...notes];
        const document = searchJson(text, hits, config, {
          notes: all,
          related,
          matcher,
          turnsOf: view.turnsOf,
        });
        terminal.io.stdout.write(`${jsonText(document)}\n`);
        return;
      }
      for (const note of notes) terminal.note(note);
      if (found === 0) return;
      // One line per hit leaves no space for the notice; quoted text cannot leave its line.
      if (config.format === 'index') terminal.note(`results (${NOTICE})`);
      const { offset, explain } = config;
      const shown = { matcher, offset, explain, view, hint: !terminal.options.quiet };
      await printLong(terminal, flags.pager, rendered(hits, related ?? [], shown, config));
    };
    try {
      if (config.batch) {
        const { signal } = context;
        for await (const text of createInterface({ input: terminal.io.stdin, signal })) await answer(text);
        signal.throwIfAborted();
      } else await answer(question);
      return found === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
    } finally {
      await embedder.close();
    }
  });
}

function notesOn(question: string, hits: readonly Hit[], config: SearchConfig, palace: Palace): string[] {
  if (hits.length === 0) return nothingFound(question, config, palace.rooms());
  return weaklyFound(hits, config);
}

/** Linked documents to list, at most. */
const LINKED = 5;

function* rendered(
  hits: readonly Hit[],
  related: readonly Related[],
  shown: HitsShown,
  { format }: SearchConfig,
): Generator<string> {
  yield format === 'index' ? renderIndex(hits, shown) : renderHits(hits, shown);
  if (related.length > 0) yield renderRelated(related, shown.view);
}
