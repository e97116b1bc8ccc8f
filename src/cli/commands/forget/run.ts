import { resolve } from 'node:path';
import { snakeNamed } from '../../../core/case.js';
import { UserError } from '../../../core/errors.js';
import { countStaged, eraseStaged } from '../../../feeders/staging/erase-staged.js';
import { type Forgettable, findMeant, forget, type Meant, planBackups } from '../../../maintenance/index.js';
import { type FiledSource, Palace, type Tombstone } from '../../../store/index.js';
import { confirm } from '../../app/confirm.js';
import { minuteOf, plural } from '../../app/durations.js';
import { sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { withRun } from '../../app/filing.js';
import type { CommonFlags } from '../../app/options.js';
import { underRunLock } from '../../app/run-lock.js';
import { besideRun } from '../../app/run-versions.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
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

/** `mempalace forget`. Returns the exit code. */
export async function runForget(context: CommandContext, flags: ForgetFlags): Promise<number> {
  const given = whatOf(flags);
  const { terminal, signal } = context;
  const { palace: folder, cache } = context.folders;
  if (given === undefined) {
    const tombstones = Palace.look(folder, (palace) => palace.forgetting.all());
    return list(tombstones, terminal);
  }
  const what = await asFiled(given, context);
  const meant = Palace.look(folder, (palace) => findMeant(palace, what));
  if (flags.allowAgain === true) return allowAgain(folder, what, meant, flags, context);
  if (meant.sources.length + meant.tombstones.length === 0)
    return nothing('nothing in the palace matches', NOTHING_ERASED, terminal);
  if (flags.dryRun === true) return dryRun(folder, cache, meant, flags, terminal);
  const agreed = await confirm(`Erase ${named(meant)} for good?`, {
    yes: flags.yes === true,
    terminal,
    hint: '--yes erases without asking, --dry-run shows what would be erased',
    declined: 'nothing was erased',
    signal,
  });
  if (!agreed) return EXIT.done;
  const model = Palace.look(folder, (palace) => palace.model);
  // The record of the run stays in the palace, so its scope names nothing.
  const identity = { command: COMMAND, scope: '{}', narrowed: true };
  return withRun(
    { palace: folder, waitMs: flags.wait },
    identity,
    context,
    async ({ palace, run }) => {
      const now = findMeant(palace, what);
      let staged = 0;
      const bar = await terminal.progress('erasing');
      const result = await forget(palace, now, {
        now: run.now,
        removeBackups: flags.backups === true,
        eraseStaged: async () => {
          staged = await eraseStaged({
            cache,
            traces: [...now.sources, ...now.tombstones],
            command: COMMAND,
            waitMs: flags.wait,
            signal,
          });
        },
        onProgress: (done, total) => bar.update(done, total, 'sources'),
      }).finally(() => bar.stop());
      const { sources, tombstones } = now;
      const counts = { forgotten: sources.length, drawers_removed: result.drawers, staged_removed: staged };
      if (terminal.options.json) {
        terminal.json({
          command: COMMAND,
          sources: sources.map(sourceRow),
          already_forgotten: tombstones.length,
          drawers_removed: result.drawers,
          facts_removed: result.facts,
          staged_removed: staged,
          backups: result.backups,
          unknown: result.unknown,
          log_emptied: result.logEmptied,
        });
      }
      printSources('forgot', sources, terminal);
      const before = tombstones.length > 0 ? `, ${tombstones.length} forgotten before` : '';
      terminal.say(
        `${plural(sources.length, 'source')} forgotten${before}: ${plural(result.drawers, 'drawer')} and ${plural(staged, 'staged file')} erased`,
      );
      if (result.facts > 0) terminal.say(`${plural(result.facts, 'fact')} taken from there erased`);
      terminal.note(`note: ${OWN_COPIES}`);
      const incomplete = sayReach(result, false, terminal);
      return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
    },
    async () => model,
  );
}

async function allowAgain(
  folder: string,
  what: Forgettable,
  { tombstones }: Meant,
  flags: ForgetFlags,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  if (tombstones.length === 0) return nothing('no forgotten source matches', { allowed: [] }, terminal);
  const model = Palace.look(folder, (palace) => palace.model);
  const startedMs = Date.now();
  const { dryRun = false } = flags;
  const lifted = dryRun
    ? tombstones
    : await underRunLock(folder, { command: COMMAND, waitMs: flags.wait }, context, async () => {
        const palace = Palace.write(folder, model);
        try {
          const now = findMeant(palace, what).tombstones;
          const end = { exitCode: EXIT.done, counts: { allowed: now.length }, skipped: [] };
          palace.transaction(() => {
            palace.forgetting.removeTombstones(now.map(({ sourceKey }) => sourceKey));
            palace.runs.add(besideRun(`${COMMAND} --allow-again`, model, startedMs), end);
          });
          return now;
        } finally {
          palace.close();
        }
      });
  if (terminal.options.json) {
    const dry = dryRun ? { dry_run: true } : {};
    terminal.json({ command: COMMAND, ...dry, allowed: lifted.map(tombstoneRow) });
  }
  const verb = dryRun ? 'would be allowed' : 'allowed';
  for (const { origin } of shown(lifted, terminal)) terminal.say(`${verb} again: ${line(origin)}`);
  terminal.say(`${plural(lifted.length, 'source')} ${verb} again; the next run files those that still exist`);
  return EXIT.done;
}

function dryRun(
  folder: string,
  cache: string,
  meant: Meant,
  { backups: removeBackups = false }: ForgetFlags,
  terminal: Terminal,
): number {
  const { sources, tombstones } = meant;
  const staged = countStaged(cache, [...sources, ...tombstones]);
  const drawers = sources.reduce((sum, source) => sum + source.drawers, 0);
  const plan = [...planBackups(folder, [...sources, ...tombstones], removeBackups)];
  const facts = Palace.look(folder, (palace) => factsOf(palace, meant));
  if (terminal.options.json) {
    terminal.json({
      command: COMMAND,
      dry_run: true,
      sources: sources.map(sourceRow),
      already_forgotten: tombstones.length,
      drawers_removed: drawers,
      facts_removed: facts,
      staged_removed: staged,
      backups: plan.map(({ file }) => file),
      backups_removed: plan.flatMap(({ file, outcome }) => (outcome === 'removed' ? [file] : [])),
    });
  }
  printSources('would forget', sources, terminal);
  sayReach({ backups: plan, unknown: [], logEmptied: true }, true, terminal);
  if (facts > 0) terminal.say(`would erase ${plural(facts, 'fact')} taken from there`);
  terminal.say(
    `would erase ${plural(drawers, 'drawer')} of ${plural(sources.length, 'source')} and ${plural(staged, 'staged file')}`,
  );
  terminal.note(`note: ${OWN_COPIES}`);
  return EXIT.done;
}

function list(tombstones: readonly Tombstone[], terminal: Terminal): number {
  if (terminal.options.json) {
    terminal.json({ command: COMMAND, tombstones: tombstones.map(tombstoneRow) });
    return EXIT.done;
  }
  for (const { forgottenAt, wing, origin } of tombstones)
    terminal.data(`${minuteOf(forgottenAt)}  ${line(wing)}  ${line(origin)}`);
  if (tombstones.length === 0) terminal.note('nothing is forgotten');
  return EXIT.done;
}

/** Exit code 4 tells scripts that nothing matched. */
function nothing(message: string, json: Record<string, unknown>, terminal: Terminal): number {
  if (terminal.options.json) terminal.json({ command: COMMAND, ...json });
  terminal.note(`${message}; see mempalace list sources and mempalace forget --list`);
  return EXIT.nothingFound;
}

const NOTHING_ERASED = {
  sources: [],
  already_forgotten: 0,
  drawers_removed: 0,
  facts_removed: 0,
  staged_removed: 0,
  backups: [],
};

function factsOf(palace: Palace, { sources }: Meant): number {
  return palace.facts.ofForgotten(sources.map(({ sourceKey }) => sourceKey)).length;
}

function named({ sources, tombstones }: Meant): string {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return line(only.title ?? only.sourceFile);
  if (sources.length === 0) return `the remains of ${plural(tombstones.length, 'forgotten source')}`;
  const drawers = sources.reduce((sum, source) => sum + source.drawers, 0);
  return `${plural(sources.length, 'source')} with ${plural(drawers, 'drawer')}`;
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
