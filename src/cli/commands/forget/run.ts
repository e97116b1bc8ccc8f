import { resolve } from 'node:path';
import { snakeNamed } from '../../../core/case.js';
import { UserError } from '../../../core/errors.js';
import { countStaged, eraseStaged } from '../../../feeders/staging/erase-staged.js';
import { type Forgettable, findMeant, forget, type Meant, planBackups } from '../../../maintenance/forget.js';
import { type FiledSource, Palace, type Tombstone } from '../../../store/index.js';
import { confirm } from '../../app/confirm.js';
import { minuteOf, plural } from '../../app/durations.js';
import { sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { withRun } from '../../app/filing.js';
import type { CommonFlags } from '../../app/options.js';
import { underRunLock } from '../../app/run-lock.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import { line, type Terminal } from '../../terminal/terminal.js';

interface ForgetFlags extends CommonFlags {
  source?: string;
  session?: string;
  wing?: string;
  run?: number;
  allowAgain?: boolean;
  list?: boolean;
  /** Remove kept backups that contain it, instead of erasing it from them. */
  backups?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  wait: number;
}

const COMMAND = 'mempalace forget';
const SHOWN = 10;
const OWN_COPIES = 'backups and exports that you made elsewhere are unchanged';

/**
 * What is to be forgotten; undefined with --list.
 *
 * @throws UserError `usage`
 */
function whatOf(flags: ForgetFlags): Forgettable | undefined {
  const { source, session, wing, run, list = false, allowAgain = false } = flags;
  const given = [source, session, wing, run].filter((value) => value !== undefined).length;
  if (list ? given > 0 || allowAgain : given !== 1) {
    const several = given > 0 ? ', and only one' : '';
    throw new UserError('usage', `one of --source, --session, --wing, --run and --list is needed${several}`, {
      hint: 'mempalace forget --help describes them',
    });
  }
  if (flags.backups === true && (list || allowAgain))
    throw new UserError('usage', '--backups is for erasing: not with --list or --allow-again');
  if (source !== undefined) return { by: 'source', name: source, paths: [resolve(source)] };
  if (session !== undefined) return { by: 'session', value: session };
  if (wing !== undefined) return { by: 'wing', value: wing };
  return run === undefined ? undefined : { by: 'run', value: run };
}

/** Secrets are redacted in filed names, but not in the name that the user gives. */
async function asFiled(what: Forgettable, context: CommandContext): Promise<Forgettable> {
  if (what.by !== 'source') return what;
  const { cleanPath } = await import('../../../sanitiser/index.js');
  const sanitiser = await sanitiserFor(true, context);
  const name = await cleanPath(what.name, sanitiser);
  const paths = await Promise.all(what.paths.map((path) => cleanPath(path, sanitiser)));
  const others = new Set([what.name, ...what.paths, ...paths]);
  others.delete(name);
  return { ...what, name, paths: [...others] };
}

/** `mempalace forget`. */
export async function runForget(context: CommandContext, flags: ForgetFlags): Promise<number | undefined> {
  const given = whatOf(flags);
  const { terminal, signal } = context;
  const { palace: folder, cache } = context.folders;
  if (given === undefined) {
    const tombstones = Palace.look(folder, (palace) => palace.forgetting.all());
    return list(tombstones, terminal);
  }
  const what = await asFiled(given, context);
  const meant = Palace.look(folder, (palace) => findMeant(palace, what));
  if (flags.allowAgain === true) return allowAgain(what, meant, flags, context);
  if (meant.sources.length + meant.tombstones.length === 0) {
    const json = { ...countsJson(meant, { drawers: 0, facts: 0, staged: 0 }), backups: [] };
    return nothing('nothing in the palace matches', json, terminal);
  }
  if (flags.dryRun === true) return dryRun(folder, cache, meant, flags, terminal);
  if (!(await confirm(`Erase ${named(meant)} for good?`, flags.yes, context))) return;
  return withRun({ command: COMMAND, waitMs: flags.wait }, context, async ({ palace, run }) => {
    const now = findMeant(palace, what);
    const { sources, tombstones } = now;
    let staged = 0;
    const bar = await terminal.progress('erasing');
    const result = await forget(palace, now, {
      now: run.now,
      removeBackups: flags.backups === true,
      eraseStaged: async () => {
        const traces = [...sources, ...tombstones];
        staged = await eraseStaged({ cache, traces, command: COMMAND, waitMs: flags.wait, signal });
      },
      onProgress: (done, total) => bar.update(done, total, 'sources'),
    }).finally(() => bar.stop());
    const { drawers, facts, backups, unknown, logEmptied } = result;
    const counted = countsJson(now, { drawers, facts, staged });
    terminal.json({ command: COMMAND, ...counted, backups, unknown, log_emptied: logEmptied });
    printSources('forgot', sources, terminal);
    const before = tombstones.length > 0 ? `, ${tombstones.length} forgotten before` : '';
    terminal.say(
      `${plural(sources.length, 'source')} forgotten${before}: ${plural(drawers, 'drawer')} and ${plural(staged, 'staged file')} erased`,
    );
    if (facts > 0) terminal.say(`${plural(facts, 'fact')} taken from there erased`);
    terminal.note(`note: ${OWN_COPIES}`);
    const counts = { forgotten: sources.length, drawers_removed: drawers, staged_removed: staged };
    const incomplete = sayReach(result, false, terminal);
    return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
  });
}

async function allowAgain(
  what: Forgettable,
  { tombstones }: Meant,
  { dryRun = false, wait: waitMs }: ForgetFlags,
  context: CommandContext,
): Promise<number | undefined> {
  const { terminal, folders } = context;
  if (tombstones.length === 0) return nothing('no forgotten source matches', { allowed: [] }, terminal);
  const startedMs = Date.now();
  const lift = async (palace: Palace) => {
    const now = findMeant(palace, what).tombstones;
    const end = { exitCode: EXIT.done, counts: { allowed: now.length }, skipped: [] };
    palace.transaction(() => {
      palace.forgetting.removeTombstones(now.map(({ sourceKey }) => sourceKey));
      palace.runs.add(besideRun(`${COMMAND} --allow-again`, palace.model, startedMs), end);
    });
    return now;
  };
  const lifted = dryRun
    ? tombstones
    : await underRunLock(folders.palace, { command: COMMAND, waitMs }, context, () =>
        writingOnce(folders.palace, context, { make: false }, lift),
      );
  const dry = dryRun ? { dry_run: true } : {};
  terminal.json({ command: COMMAND, ...dry, allowed: lifted.map(tombstoneRow) });
  const verb = dryRun ? 'would be allowed' : 'allowed';
  for (const { origin } of shown(lifted, terminal)) terminal.say(`${verb} again: ${line(origin)}`);
  terminal.say(`${plural(lifted.length, 'source')} ${verb} again; the next run files those that still exist`);
}

function dryRun(
  folder: string,
  cache: string,
  meant: Meant,
  { backups: removeBackups = false }: ForgetFlags,
  terminal: Terminal,
): undefined {
  const { sources, tombstones } = meant;
  const staged = countStaged(cache, [...sources, ...tombstones]);
  const drawers = drawersOf(sources);
  const plan = [...planBackups(folder, [...sources, ...tombstones], removeBackups)];
  const keys = sources.map(({ sourceKey }) => sourceKey);
  const facts = Palace.look(folder, (palace) => palace.facts.ofForgotten(keys).length);
  terminal.json({
    command: COMMAND,
    dry_run: true,
    ...countsJson(meant, { drawers, facts, staged }),
    backups: plan.map(({ file }) => file),
    backups_removed: plan.flatMap(({ file, outcome }) => (outcome === 'removed' ? [file] : [])),
  });
  printSources('would forget', sources, terminal);
  sayReach({ backups: plan, unknown: [], logEmptied: true }, true, terminal);
  if (facts > 0) terminal.say(`would erase ${plural(facts, 'fact')} taken from there`);
  terminal.say(
    `would erase ${plural(drawers, 'drawer')} of ${plural(sources.length, 'source')} and ${plural(staged, 'staged file')}`,
  );
  terminal.note(`note: ${OWN_COPIES}`);
}

function list(tombstones: readonly Tombstone[], terminal: Terminal): undefined {
  terminal.json({ command: COMMAND, tombstones: tombstones.map(tombstoneRow) });
  for (const { forgottenAt, wing, origin } of tombstones)
    terminal.data(`${minuteOf(forgottenAt)}  ${line(wing)}  ${line(origin)}`);
  if (tombstones.length === 0 && !terminal.options.json) terminal.note('nothing is forgotten');
}

/** Exit code 4 tells scripts that nothing matched. */
function nothing(message: string, json: Record<string, unknown>, terminal: Terminal): number {
  terminal.json({ command: COMMAND, ...json });
  terminal.note(`${message}; see mempalace list sources and mempalace forget --list`);
  return EXIT.nothingFound;
}

function countsJson(
  { sources, tombstones }: Meant,
  { drawers, facts, staged }: { drawers: number; facts: number; staged: number },
) {
  return {
    sources: sources.map(sourceRow),
    already_forgotten: tombstones.length,
    drawers_removed: drawers,
    facts_removed: facts,
    staged_removed: staged,
  };
}

function drawersOf(sources: readonly FiledSource[]): number {
  return sources.reduce((sum, source) => sum + source.drawers, 0);
}

function named({ sources, tombstones }: Meant): string {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return line(only.title ?? only.sourceFile);
  if (sources.length === 0) return `the remains of ${plural(tombstones.length, 'forgotten source')}`;
  return `${plural(sources.length, 'source')} with ${plural(drawersOf(sources), 'drawer')}`;
}

function printSources(verb: string, sources: readonly FiledSource[], terminal: Terminal): void {
  const some = shown(sources, terminal);
  for (const { title, sourceFile } of some) terminal.say(`${verb} ${line(title ?? '') || line(sourceFile)}`);
  if (some.length < sources.length) terminal.say(`${verb} ${sources.length - some.length} more (--verbose)`);
}

function shown<T>(items: readonly T[], terminal: Terminal): readonly T[] {
  return terminal.options.verbose ? items : items.slice(0, SHOWN);
}

function sourceRow({ sourceKey, sourceFile, origin, wing, room, title, drawers }: FiledSource) {
  return snakeNamed({ sourceKey, sourceFile, origin, wing, room, title, drawers });
}

function tombstoneRow({ runId: run, projectId: _, ...tombstone }: Tombstone) {
  return snakeNamed({ ...tombstone, run });
}
