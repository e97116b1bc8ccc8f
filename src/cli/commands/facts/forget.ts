import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { type FactWords, findFacts } from '../../../knowledge/facts/index.js';
import { forgetFacts, planBackups } from '../../../maintenance/forget.js';
import { sentenceOf, shownFact } from '../../../operations/facts/fact.js';
import { type Fact, Palace } from '../../../store/index.js';
import { plural } from '../../../terminal/durations.js';
import { confirm } from '../../app/confirm.js';
import { type Reach, sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { withRun } from '../../app/filing.js';
import type { ProgramContext } from '../../app/runner.js';
import type { ForgetFlags } from './command.js';

type Words = [idOrSubject: string, predicate: string | undefined, object: string | undefined];

export async function forget(
  context: ProgramContext,
  { dryRun = false, backups: removeBackups = false, yes, wait: waitMs }: ForgetFlags,
  ...words: Words
): Promise<number | undefined> {
  const { terminal } = context;
  const { palace: folder } = context.folders;
  const which = whichOf(words);
  const facts = Palace.look(folder, (palace) => findFacts(palace, which));
  if (facts.length === 0) {
    report(facts, { backups: [], unknown: [], logEmptied: true }, dryRun, context);
    terminal.note('the palace has no such fact; mempalace facts query shows the facts it has');
    return EXIT.nothingFound;
  }
  if (dryRun) {
    const known = facts.map(({ triple_id }) => ({
      sourceKey: triple_id,
      kind: 'fact' as const,
      origin: triple_id,
    }));
    const backups = [...planBackups(folder, known, removeBackups)];
    report(facts, { backups, unknown: [], logEmptied: true }, dryRun, context);
    return;
  }
  const [first] = facts;
  const named = facts.length === 1 && first !== undefined ? 'this fact' : plural(facts.length, 'fact');
  if (first !== undefined && facts.length === 1) terminal.note(sentenceOf(first));
  if (!(await confirm(`Erase ${named} for good?`, yes, context))) return;
  return withRun({ command: 'mempalace kg forget', waitMs }, context, async ({ palace, run }) => {
    const now = findFacts(palace, which);
    const ids = now.map(({ triple_id }) => triple_id);
    const result = await forgetFacts(palace, ids, { run, removeBackups });
    const incomplete = report(now, result, dryRun, context);
    const counts = { facts_removed: result.facts };
    return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
  });
}

/** An id or its beginning, else the words of the fact. */
function whichOf([first, predicate, object]: Words): { id: string } | { words: FactWords } {
  if (predicate === undefined && /^fact_[0-9a-f]{8,24}$/.test(first)) return { id: first };
  if (predicate !== undefined && object !== undefined)
    return { words: { subject: first, predicate, object } };
  throw new UserError('usage', 'facts forget takes the id of a fact, or its subject, predicate and object', {
    hint: 'an id looks like fact_0123456789ab; mempalace facts query --json shows them',
  });
}

/** Returns whether some of it may remain. */
function report(
  facts: readonly Fact[],
  reach: Reach,
  dryRun: boolean,
  { terminal, answer }: ProgramContext,
): boolean {
  answer({
    notice: NOTICE,
    forgotten: facts.map((fact) => shownFact(fact, new Date())),
    backups: reach.backups,
    unknown: reach.unknown,
    log_emptied: reach.logEmptied,
  });
  for (const fact of facts) terminal.say(`${dryRun ? 'would forget' : 'forgot'}: ${sentenceOf(fact)}`);
  return sayReach(reach, dryRun, terminal);
}
