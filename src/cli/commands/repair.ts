import { snakeNamed } from '../../core/case.js';
import { type RepairResult, refuseDamagedRows, repair } from '../../maintenance/rebuild/repair.js';
import { freeBytes } from '../../platform/disk-space.js';
import { keepBackup, Palace } from '../../store/index.js';
import { formatBytes, formatSeconds, plural, secondsSince } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { confirm } from '../app/confirm.js';
import { EXIT } from '../app/exit.js';
import { withRun } from '../app/filing.js';
import { createCommand, type FlagsOf, waitOption } from '../app/options.js';
import { modelFor, withEmbedder } from '../app/palace-model.js';
import { action, type ProgramContext } from '../app/runner.js';

const HELP = `
Rebuilds everything derived from the rows: the lexical index, the codes of
vectors and SQLite's own indexes. Vectors are kept; a text whose vector is
missing is embedded again. A backup is made first, and the file is compacted
afterwards. Stopping or killing a repair loses nothing. Damaged rows cannot be
repaired: use mempalace restore --last.

Examples:
  mempalace repair --dry-run   list the problems
  mempalace repair             rebuild, after confirmation`;

export const command = createCommand('repair', 'Rebuild the indexes of the palace from its rows')
  .option('--yes', 'do not ask')
  .option('--dry-run', 'look for problems; change nothing')
  .option('--no-backup', 'keep no backup of the palace')
  .addOption(waitOption())
  .addHelpText('after', HELP);
command.action(action(runRepair, { here: true }));

const STATUS_HELP = `
Reads the tables, compares counts, and checks a sample of the codes: 4 s for
500,000 drawers. --full also reads all indexes and codes. Exit code 1 means that
a problem was found.

Examples:
  mempalace repair-status          a quick check
  mempalace repair-status --full   every page, index and code`;

export const repairStatus = createCommand('repair-status', 'Report problems that a repair would find')
  .option('--full', 'check every page, index and code')
  .addHelpText('after', STATUS_HELP);
repairStatus.action(action(runRepairStatus, { here: true }));

/** Measured on two cores: two checks, the lexical index, the codes, and the rewritten file. */
const SECONDS_PER_DRAWER = 20 / 100_000;
/** The new file, and the WAL that it is written through. */
const COPIES = 2.2;
const SHOWN = 20;

async function runRepair(
  context: ProgramContext,
  { yes, dryRun, backup, wait }: FlagsOf<typeof command>,
): Promise<number | undefined> {
  const { terminal, command, signal } = context;
  const { palace: folder } = context.folders;
  if (dryRun === true) return preview(folder, context);
  const [drawers, bytes] = Palace.look(folder, (palace) => [palace.drawerCount(), palace.bytes()]);
  const size = `${plural(drawers, 'drawer')}, ${formatBytes(bytes)}`;
  const time = formatSeconds(Math.max(1, drawers * SECONDS_PER_DRAWER));
  const question = `Rebuild the indexes of ${folder} (${size}, about ${time})?`;
  if (!(await confirm(question, yes, context))) return;
  const choices = { command, narrowed: false, waitMs: wait };
  return withRun(choices, context, async ({ palace, run }) => {
    const started = performance.now();
    const bytesBefore = palace.bytes();
    const compacted = freeBytes(folder) > bytesBefore * COPIES;
    if (!compacted)
      terminal.warn(
        `not enough free space to rewrite ${formatBytes(bytesBefore)}: the file is not compacted`,
      );
    const keep = () => (backup ? keepBackup(folder, 'repair', { run: { id: run.id } }) : undefined);
    const result = await withEmbedder(
      'repairing',
      () => modelFor(palace.model),
      context,
      (embedder, bar) =>
        repair({
          palace,
          compact: compacted,
          signal,
          beforeChange: keep,
          embedder,
          onStep: (step, done, total) => bar.update(done, Math.max(1, total), step),
        }),
    );
    const bytesAfter = palace.bytes();
    const seconds = secondsSince(started);
    const exitCode = report({ ...result, compacted, bytesBefore, bytesAfter, seconds }, context);
    const { problems, left, vectorsRestored } = result;
    return { exitCode, counts: { problems, left, vectorsRestored }, skipped: [] };
  });
}

interface Outcome extends RepairResult {
  compacted: boolean;
  bytesBefore: number;
  bytesAfter: number;
  seconds: number;
}

function report(outcome: Outcome, { terminal, answer }: ProgramContext): number {
  const { problems, left, reindexed, vectorsLost, vectorsRestored, vectorsReplaced, withoutModel } = outcome;
  const { bytesBefore, bytesAfter, seconds } = outcome;
  answer(outcomeJson(outcome));
  terminal.say(problems.length === 0 ? 'nothing was wrong' : 'problems found:');
  for (const text of listed(problems)) terminal.say(`  ${text}`);
  const done = ['rebuilt the lexical index and the codes'];
  if (reindexed) done.push("SQLite's indexes");
  if (vectorsRestored > 0) done.push(`embedded ${plural(vectorsRestored, 'text')} again`);
  const replaced = vectorsReplaced?.foreign ?? 0;
  if (replaced > 0) done.push(`replaced ${plural(replaced, 'vector')} of another model`);
  const size = `${formatBytes(bytesBefore)} → ${formatBytes(bytesAfter)}`;
  terminal.say(`${done.join(', ')}; ${size} (${formatSeconds(seconds)})`);
  if (withoutModel !== undefined) {
    const { message, hint } = withoutModel;
    const lost = vectorsLost - vectorsRestored;
    const what =
      lost > 0
        ? `${plural(lost, 'drawer')} without a vector, found by words only`
        : 'the vectors were not compared with the model';
    terminal.warn(`${what}: ${line(message)}`);
    terminal.note(`  hint: ${line(hint ?? 'see mempalace doctor')}; then run mempalace repair again`);
    return EXIT.incomplete;
  }
  for (const problem of left.slice(0, SHOWN)) terminal.warn(`still wrong: ${line(problem)}`);
  if (left.length > 0) terminal.note('  hint: mempalace restore --last restores the last backup');
  return left.length > 0 ? EXIT.failed : EXIT.done;
}

function outcomeJson({ withoutModel: _, vectorsReplaced: compared, seconds, ...outcome }: Outcome) {
  const [vectorsCompared, vectorsReplaced] = [compared?.compared ?? 0, compared?.foreign ?? 0];
  return snakeNamed({ ...outcome, vectorsCompared, vectorsReplaced, seconds });
}

/** The first of several problems. */
function listed(problems: readonly string[]): string[] {
  const more = problems.length - SHOWN;
  return [...problems.slice(0, SHOWN).map(line), ...(more > 0 ? [`… ${more} more`] : [])];
}

/** Prints the same fields as a repair. */
function preview(folder: string, { terminal, answer }: ProgramContext): undefined {
  const { problems, lost, bytes, unusedBytes, drawers, seconds } = look(folder, true);
  refuseDamagedRows(problems);
  const texts = problems.map(({ text }) => text);
  const found = {
    problems: texts,
    left: texts,
    reindexed: false,
    vectorsLost: lost,
    vectorsRestored: 0,
    vectorsReplaced: undefined,
    withoutModel: undefined,
    compacted: false,
    bytesBefore: bytes,
    bytesAfter: bytes,
    seconds,
  };
  answer(outcomeJson(found));
  terminal.say(texts.length === 0 ? 'nothing is wrong' : 'would repair:');
  for (const text of listed(texts)) terminal.say(`  ${text}`);
  terminal.say(
    `would rebuild the indexes of ${plural(drawers, 'drawer')}, embed ${plural(lost, 'text')} again, and rewrite ` +
      `${formatBytes(bytes)} (${formatBytes(unusedBytes)} of it unused)`,
  );
}

async function runRepairStatus(
  { terminal, folders, answer }: ProgramContext,
  { full = false }: FlagsOf<typeof repairStatus>,
): Promise<number> {
  const { drawers, bytes, unusedBytes, lost, problems, seconds } = look(folders.palace, full);
  const damaged = problems.some(({ kind }) => kind === 'rows');
  const cure = problems.length === 0 ? null : damaged ? 'mempalace restore --last' : 'mempalace repair';
  const status = { full, drawers, bytes, unusedBytes, vectorsLost: lost, problems, cure };
  answer(snakeNamed({ ...status, seconds }));
  for (const text of listed(problems.map(({ text }) => text))) terminal.data(text);
  const found = problems.length === 0 ? 'nothing is wrong' : `${cure} fixes that`;
  const how = full ? 'all' : 'tables, counts and a sample of the codes';
  terminal.say(`${found} (checked ${how}, ${formatSeconds(seconds)})`);
  const unused = formatBytes(unusedBytes);
  terminal.say(`${plural(drawers, 'drawer')}, ${formatBytes(bytes)}, ${unused} of them unused`);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

function look(folder: string, full: boolean) {
  return Palace.look(folder, (palace) => {
    const started = performance.now();
    const { problems } = palace.check({ full });
    const readable = problems.every(({ kind }) => kind !== 'rows' && kind !== 'index');
    return {
      bytes: palace.bytes(),
      // Unreadable tables cannot be counted.
      drawers: readable ? palace.drawerCount() : 0,
      unusedBytes: readable ? palace.unusedBytes() : 0,
      lost: problems.some(({ kind }) => kind === 'vectors') ? palace.drawerVectors.countLost() : 0,
      problems,
      seconds: secondsSince(started),
    };
  });
}
