import { localTime } from '../../../core/day.js';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { workingFolder } from '../../../platform/checkout.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';
import { scoreJson, searchDocument, searchNotes } from '../../../presentation/found.js';
import { indexEntry } from '../../../presentation/index-entry.js';
import { dashedWords, wordsAlone } from '../../../presentation/nothing-found.js';
import { aroundOf } from '../../../presentation/scope.js';
import { type Matcher, matcherOf } from '../../../search/matches.js';
import type { Found, Hit } from '../../../service/contract/index.js';
import { viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { type HitsShown, renderHits, renderIndex, renderRelated } from '../../../terminal/print-hits.js';
import { jsonText, line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import { type SearchConfig, type SearchFlags, searchConfig } from './config.js';

export async function runSearch(
  context: CommandContext,
  flags: SearchFlags,
  words: readonly string[],
): Promise<number> {
  const question = words.join(' ');
  if (question.trim() === '' && flags.batch !== true) {
    const hint =
      flags.file === undefined
        ? 'mempalace search "what to look for"'
        : `mempalace file ${shellQuoted(flags.file)} lists what read, changed or spoke of it`;
    throw new UserError('usage', 'the query is empty', { hint });
  }
  if (question.trim() !== '' && flags.batch === true) {
    throw new UserError('usage', '--batch reads queries from stdin, not from the command line');
  }
  const { terminal, folders } = context;
  const config = searchConfig(flags, context.config.search, folders.home);
  const { scope, links, format, explain, batch, ...asked } = config;
  const around = aroundOf(workingFolder(), scope);
  return withService(context, async (service, call) => {
    const view = viewOf(terminal, folders.home);
    let found = 0;
    let warned: string | undefined;
    const answer = async (question: string): Promise<void> => {
      const input = {
        ...asked,
        question,
        localTime: localTime(new Date()),
        around,
        patient: true,
        links: links ? LINKED : undefined,
      };
      const result = await service.find(input, call);
      context.signal.throwIfAborted();
      const trouble = wordsAlone(result, true);
      if (trouble.length > 0 && trouble[0] !== warned) terminal.warn(line(trouble.join()));
      warned = trouble[0] ?? warned;
      found += result.hits.length;
      const notes = searchNotes(question, result, config, CURES);
      const matcher = matcherOf(question, result.absent);
      if (batch || terminal.options.json) {
        const inIndex = format === 'index' ? (hit: Hit) => indexJson(hit, matcher) : undefined;
        const document = searchDocument(question, result, [...trouble, ...notes], inIndex);
        terminal.io.stdout.write(`${jsonText(document)}\n`);
        return;
      }
      for (const note of [...notes, ...dashedWords(question)]) terminal.note(note);
      if (found === 0) return;
      // One line per hit leaves no space for the notice; quoted text cannot leave its line.
      if (format === 'index') terminal.note(`results (${NOTICE})`);
      const shown = { matcher, offset: config.offset, explain, view, hint: !terminal.options.quiet };
      await printLong(terminal, flags.pager, rendered(result, shown, format));
    };
    if (batch) {
      const { createInterface } = await import('node:readline');
      const { signal } = context;
      for await (const text of createInterface({ input: terminal.io.stdin, signal })) await answer(text);
      signal.throwIfAborted();
    } else await answer(question);
    return found === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  });
}

const CURES = { everywhere: '--everywhere searches all alike', cold: '--cold looks there too' };

function indexJson(hit: Hit, matcher: Matcher) {
  const { drawerId, title, ...entry } = indexEntry(hit, matcher);
  return {
    drawer_id: drawerId,
    ...entry,
    title: title === '' ? null : title,
    more_passages: hit.more.length,
    ...scoreJson(hit),
  };
}

/** Linked documents to list, at most. */
const LINKED = 5;

function* rendered(
  { hits, related = [] }: Found,
  shown: HitsShown,
  format: SearchConfig['format'],
): Generator<string> {
  yield format === 'index' ? renderIndex(hits, shown) : renderHits(hits, shown);
  if (related.length > 0) yield renderRelated(related, shown.view);
}
