import { snakeNamed } from '../../core/case.js';
import { modelById } from '../../embedding/index.js';
import { countStaged, eraseStaged } from '../../feeders/staging/erase-staged.js';
import {
  findUncleanFacts,
  isUncleanFact,
  rewordFacts,
  type UncleanFacts,
} from '../../knowledge/facts/index.js';
import { damagedPalaces } from '../../maintenance/backup/restore.js';
import {
  type Findings,
  findUnclean,
  type ScrubResult,
  type ScrubScope,
  scrub,
  type UncleanBackup,
  uncleanBackups,
} from '../../maintenance/scrub/index.js';
import { requireWing } from '../../operations/known-names.js';
import { addCounts, createSanitiser, type TracingSanitiser } from '../../sanitiser/index.js';
import { type Fact, type Palace, type RunStamp, removePalaceFile } from '../../store/index.js';
import { plural } from '../../terminal/durations.js';
import { kindsText } from '../../terminal/redactions.js';
import { line } from '../../terminal/terminal.js';
import { sayReach } from '../app/erased.js';
import { EXIT } from '../app/exit.js';
import { type RunOutcome, withRun } from '../app/filing.js';
import { withPalace } from '../app/open-palace.js';
import { createCommand, type FlagsOf, waitOption } from '../app/options.js';
import { withEmbedder } from '../app/palace-model.js';
import { action, type ProgramContext } from '../app/runner.js';
import { sayNames } from '../app/summary.js';

const HELP = `
Searches sources that were filed by earlier versions, with --no-redact or with
other privacy.rules, and applies the current rules to texts, titles and records
of runs. Redacted text is erased from the palace's file and from staged copies,
and cannot be restored. Backups in the palace folder that still contain it are
listed (exit code 3), or deleted with --backups. Backups that you made
elsewhere, and exports, are not changed.

Examples:
  mempalace scrub --dry-run   count what would be redacted, by kind
  mempalace scrub --backups   redact, and delete backups that contain it
  mempalace scrub --all       check again what was checked with these rules`;

export const command = createCommand('scrub', 'Apply the current privacy rules to filed sources')
  .option('--wing <name>', 'only sources in this wing')
  .option('--all', 'check every source, even if it was checked with the current rules')
  .option('--backups', 'delete kept backups that still contain it')
  .option('--dry-run', 'count what would be redacted, by kind; change nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP);
command.action(action(runScrub, { here: true }));

async function runScrub(
  context: ProgramContext,
  { wing, all = false, backups: removes = false, dryRun, wait: waitMs }: FlagsOf<typeof command>,
): Promise<number | undefined> {
  const { signal, command } = context;
  const { palace: folder, cache } = context.folders;
  const scope: ScrubScope = { wing, all };
  const sanitiser = await createSanitiser({ redact: true, rules: context.config.privacy.rules });
  /** @param run undefined for a dry run */
  const scrubbed = async (palace: Palace, run?: RunStamp): Promise<RunOutcome> => {
    requireWing(wing, palace.rooms());
    const modelOf = () => modelById(palace.model.id, palace.model.dimension);
    return withEmbedder('looking', modelOf, context, async (embedder, bar) => {
      // Facts first: the free pages and the WAL with their old text are emptied after the sources.
      const facts = await uncleanFacts(palace, scope, sanitiser);
      if (run !== undefined) rewordFacts(palace, facts.facts, new Date());
      const found = await findUnclean(palace, sanitiser, scope, signal, (done, total) =>
        bar.update(done, total, 'sources'),
      );
      const traces = found.unclean.map(({ source }) => source);
      const erasing = { cache, traces, stillFiled: true, command, waitMs, signal };
      const erase = run !== undefined && traces.length > 0;
      const staged = erase ? await eraseStaged(erasing) : countStaged(cache, traces);
      const result = run && (await scrub(found, { palace, sanitiser, run, embedder, signal }));
      bar.stop();
      const kept = await backupsWithIt(folder, scope, sanitiser);
      const removed = removes && run !== undefined;
      if (removed) for (const { file } of kept) removePalaceFile(file);
      const unknown = damagedPalaces(folder);
      const counts = report({ found, facts, staged, kept, removed, unknown, result }, context);
      const incomplete = (kept.length > 0 && !removed) || unknown.length > 0 || result?.logEmptied !== true;
      return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
    });
  };
  if (dryRun !== true) {
    const choices = { command, scope: JSON.stringify({ wing: wing ?? null }), waitMs };
    return withRun(choices, context, ({ palace, run }) => scrubbed(palace, run));
  }
  await withPalace(context, (palace) => scrubbed(palace), { warns: false });
  return;
}

/** Facts do not belong to a wing and record no rules version, so each scrub without --wing checks them all. */
async function uncleanFacts(
  palace: Palace,
  { wing }: ScrubScope,
  sanitiser: TracingSanitiser,
): Promise<UncleanFacts> {
  return wing === undefined ? findUncleanFacts(palace, sanitiser) : { facts: [], redacted: {} };
}

function backupsWithIt(
  folder: string,
  scope: ScrubScope,
  sanitiser: TracingSanitiser,
): Promise<UncleanBackup[]> {
  const facts = scope.wing === undefined ? (fact: Fact) => isUncleanFact(fact, sanitiser) : undefined;
  return uncleanBackups(folder, sanitiser, scope, facts);
}

interface Outcome {
  found: Findings;
  facts: UncleanFacts;
  staged: number;
  kept: readonly UncleanBackup[];
  /** Whether the kept backups were removed. */
  removed: boolean;
  /** Damaged palaces that may contain the text. */
  unknown: readonly string[];
  /** Undefined for a dry run. */
  result?: ScrubResult;
}

const NOTHING_DONE: ScrubResult = {
  drawersAdded: 0,
  drawersRemoved: 0,
  embedded: 0,
  runs: 0,
  logEmptied: true,
};

/** Prints the result or a preview; returns the counts for the record of the run. */
function report(outcome: Outcome, { terminal, answer }: ProgramContext): Record<string, unknown> {
  const { found, facts, staged, kept, removed, unknown, result } = outcome;
  const { unclean, clean } = found;
  const looked = unclean.length + clean.length;
  const all = { ...facts.redacted };
  for (const { redacted } of unclean) addCounts(all, redacted);
  const redacted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { logEmptied, ...done } = result ?? NOTHING_DONE;
  const more = { ...done, stagedRemoved: staged, facts: facts.facts.length };
  const counts = snakeNamed({ lookedAt: looked, redacted, ...more });
  answer({
    ...counts,
    sources: unclean.map(({ source: { sourceKey, kind, wing, room }, redacted: kinds }) =>
      snakeNamed({ sourceKey, kind, wing, room, redacted: kinds }),
    ),
    backups: kept.map(({ file, state }) => ({ file, outcome: removed ? 'removed' : state })),
    unknown,
    ...(result === undefined ? {} : { log_emptied: logEmptied }),
  });
  const verb = result === undefined ? 'would redact' : 'redacted';
  // Source keys only, since a title may contain the secret.
  const names = unclean.map(({ source, redacted: kinds }) => line(source.sourceKey) + inWords(kinds));
  sayNames(terminal, verb, names);
  terminal.say(
    `${verb} ${plural(unclean.length, 'source')} of ${looked}${inWords(redacted)}; ${plural(staged, 'staged file')} ${result === undefined ? 'would be erased' : 'erased'}`,
  );
  if (facts.facts.length > 0) terminal.say(`${verb} ${plural(facts.facts.length, 'fact')}`);
  for (const { file, state } of kept) {
    const contains = state === 'holds' ? 'still contains it' : 'cannot be read, and may contain it';
    if (result === undefined) terminal.say(`${line(file)} ${contains}`);
    else if (removed)
      terminal.say(`removed ${line(file)}, which ${contains.replace('still contains', 'contained')}`);
    else terminal.warn(`${line(file)} ${contains}: mempalace scrub --backups deletes it`);
  }
  if (result === undefined) return counts;
  sayReach({ backups: [], unknown, logEmptied }, false, terminal, 'remove it when you can');
  return counts;
}

function inWords(redacted: Record<string, number>): string {
  const words = kindsText(redacted);
  return words === '' ? '' : `: ${words}`;
}
