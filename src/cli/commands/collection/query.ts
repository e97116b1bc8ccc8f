import { localTime } from '../../../core/day.js';
import { UserError } from '../../../core/errors.js';
import { collectionNotes, searchDocument } from '../../../presentation/found.js';
import { dashedWords, wordsAlone } from '../../../presentation/nothing-found.js';
import { matcherOf } from '../../../search/matches.js';
import { viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { renderHits } from '../../../terminal/print-hits.js';
import { jsonText, line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { whichOf } from './config.js';

interface QueryFlags extends CommonFlags {
  limit?: number;
  offset?: number;
  cold?: boolean;
  explain?: boolean;
  not?: string[];
  pager: boolean;
}

/** `mempalace collection query`. Prints what `mempalace search` prints. */
export function query(
  context: CommandContext,
  flags: QueryFlags,
  name: string,
  words: readonly string[],
): Promise<number> {
  const { terminal, folders, config } = context;
  const question = words.join(' ');
  if (question.trim() === '')
    throw new UserError('usage', 'the query is empty', {
      hint: `mempalace collection query ${name} "what to look for"`,
    });
  const { rank: ranking, weights, halfLifeDays, by, minScore } = config.search;
  const { limit = config.search.limit, offset = 0, explain = false } = flags;
  return withService(context, async (service, call) => {
    const which = whichOf(name, flags, config.search);
    const asked = {
      question,
      localTime: localTime(new Date()),
      excluded: flags.not,
      ranking,
      weights,
      halfLifeDays,
      by,
      minScore,
      limit,
      offset,
    };
    const found = await service.findInCollection({ ...which, ...asked }, call);
    const { hits, absent } = found;
    const trouble = wordsAlone(found, true);
    for (const each of trouble) terminal.warn(line(each));
    const notes = collectionNotes(question, found, { offset, minScore });
    if (terminal.options.json) {
      const document = searchDocument(question, found, [...trouble, ...notes]);
      terminal.io.stdout.write(`${jsonText(document)}\n`);
    } else {
      for (const note of [...notes, ...dashedWords(question)]) terminal.note(note);
      const shown = {
        matcher: matcherOf(question, absent),
        offset,
        explain,
        view: viewOf(terminal, folders.home),
        hint: !terminal.options.quiet,
      };
      if (hits.length > 0) await printLong(terminal, flags.pager, [renderHits(hits, shown)]);
    }
    return hits.length === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  });
}
