import { NOTICE } from '../../../core/outside.js';
import { findFacts } from '../../../knowledge/facts/index.js';
import { forgetFacts, planBackups } from '../../../maintenance/index.js';
import { type Fact, Palace } from '../../../store/index.js';
import { confirm } from '../../app/confirm.js';
import { plural } from '../../app/durations.js';
import { type Reach, sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { withRun } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { KgConfig } from './config.js';
import { factsJson, sentenceOf } from './run.js';

type Config = Extract<KgConfig, { what: 'forget' }>;

/** As the run is called in the palace's record, which stays: it names no fact. */
const COMMAND = 'mempalace kg forget';

/** `mempalace kg forget`. Returns the exit code. */
export async function runKgForget(config: Config, folder: string, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const { model, facts } = Palace.look(folder, (palace) => ({
    model: palace.model,
    facts: findFacts(palace, config.which),
  }));
  if (facts.length === 0) {
    tell(facts, { backups: [], unknown: [], logEmptied: true }, config, terminal);
    terminal.note('the palace has no such fact; mempalace kg query shows what it has');
    return EXIT.nothingFound;
  }
  if (config.dryRun) {
    const known = facts.map(({ tripleId }) => ({ sourceKey: tripleId, kind: 'fact', origin: tripleId }));
    const backups = planBackups(folder, known, config.removeBackups);
    tell(facts, { backups, unknown: [], logEmptied: true }, config, terminal);
    return EXIT.done;
  }
  const [first] = facts;
  const named = facts.length === 1 && first !== undefined ? 'this fact' : plural(facts.length, 'fact');
  if (first !== undefined && facts.length === 1) terminal.note(sentenceOf(first));
  const agreed = await confirm(`Erase ${named} for good?`, {
    yes: config.yes,
    terminal,
    hint: '--yes erases without asking, --dry-run says what would be erased',
    signal,
  });
  if (!agreed) {
    terminal.note('nothing was erased');
    return EXIT.done;
  }
  return withRun(
    { palace: folder, waitMs: config.waitMs },
    { command: COMMAND, scope: '{}', narrowed: true },
    context,
    async ({ palace, run }) => {
      const now = findFacts(palace, config.which);
      const ids = now.map(({ tripleId }) => tripleId);
      const result = await forgetFacts(palace, ids, { run, removeBackups: config.removeBackups });
      const incomplete = tell(now, result, config, terminal);
      const counts = { facts_removed: result.facts };
      return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
    },
    async () => model,
  );
}

/** Returns whether something of it may be left. */
function tell(facts: readonly Fact[], reach: Reach, { dryRun }: Config, terminal: Terminal): boolean {
  if (terminal.options.json) {
    terminal.json({
      command: 'mempalace kg',
      ...(dryRun ? { dry_run: true } : {}),
      notice: NOTICE,
      forgotten: factsJson(facts, new Date()),
      backups: reach.backups,
      unknown: reach.unknown,
      log_emptied: reach.logEmptied,
    });
  }
  for (const fact of facts) terminal.say(`${dryRun ? 'would forget' : 'forgot'}: ${sentenceOf(fact)}`);
  return sayReach(reach, dryRun, terminal);
}
