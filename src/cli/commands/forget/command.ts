import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import type { Forgettable } from '../../../core/forgotten.js';
import { changedSincePreview } from '../../../maintenance/forgettable.js';
import { COMMAND, type ForgetPreview, type Forgotten, forgetting } from '../../../operations/forgetting.js';
import { ask } from '../../../operations/operation.js';
import { plural } from '../../../terminal/durations.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { confirm } from '../../app/confirm.js';
import { sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { forgetInRun, isIncomplete } from '../../app/forgetting.js';
import { withService } from '../../app/open-service.js';
import { countOption, createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { action, type CommandContext, type ProgramContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { NAMES_SHOWN, sayNames } from '../../app/summary.js';

const HELP = `
This erases the text, its words and vectors, facts taken from
it, staged files, and free pages of the palace. Backups kept in the palace
folder are rewritten without it, or removed with --backups, which is faster. A
tombstone stays, with the source's key and path but no title or text: later runs
skip the source as "forgotten", including copies in forks of a session. Not
erased: backups that you made elsewhere, exports, and a document that was
renamed or moved to another project, which is filed again under its new name.

Examples:
  mempalace forget --source docs/secret.md --dry-run   what would be erased
  mempalace forget --session ses_0123456789            a session
  mempalace forget --list                              forgotten sources`;

export const command = createCommand('forget', 'Erase sources, and prevent runs from filing them again')
  .option('--source <name>', 'a source key, a path, or a source_file (or the end of one)')
  .option('--session <id>', 'this session')
  .option('--wing <name>', 'everything in this wing')
  .addOption(countOption('--run <id>', 'everything that this run filed last (see mempalace list runs)', 1))
  .option('--allow-again', 'remove the tombstones instead; the next run files the sources again')
  .option('--list', 'list forgotten sources')
  .option('--backups', 'remove kept backups that contain it, and damaged palaces that may contain it')
  .option('--dry-run', 'show what would be erased; change nothing')
  .option('--preview <id>', 'erase only if it is what this --dry-run --json showed')
  .option('--yes', 'do not ask')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type ForgetFlags = FlagsOf<typeof command>;
command.action(action(runForget, { here: true }));

const OWN_COPIES = 'backups and exports that you made elsewhere are unchanged';
const NOTHING: Forgotten = {
  command: COMMAND,
  sources: [],
  ...{ already_forgotten: 0, drawers_removed: 0, facts_removed: 0, staged_removed: 0 },
  ...{ backups: [], unknown: [], log_emptied: true },
};

async function runForget(context: ProgramContext, flags: ForgetFlags): Promise<number | undefined> {
  const given = whatOf(flags);
  const { terminal, folders } = context;
  if (given === undefined) return (await import('./again.js')).listForgotten(context);
  const what = await asFiled(given, context);
  if (flags.allowAgain === true) return (await import('./again.js')).allowAgain(what, flags, context);
  const { dryRun = false, backups = false, yes = false } = flags;
  const asked = { ...what, backups };
  const preview = await withService(context, (service, call) =>
    ask(service, forgetting.forgetDryRun, { ...asked, cache: folders.cache }, call),
  );
  if (flags.preview !== undefined && flags.preview !== preview.preview) throw changedSincePreview();
  if (dryRun) terminal.json(preview);
  if (preview.sources.length + preview.already_forgotten === 0) {
    if (!dryRun) terminal.json(NOTHING);
    terminal.note('nothing in the palace matches; see mempalace list sources and mempalace forget --list');
    return EXIT.nothingFound;
  }
  if (dryRun) return sayPreview(preview, terminal);
  if (!(await confirm(`Erase ${named(preview)} for good?`, yes, context))) return;
  // The user has agreed to what is named; with --yes, to what matches.
  const agreed = { ...asked, preview: yes ? flags.preview : preview.preview };
  const forgotten = await forgetInRun(agreed, flags.wait, context);
  const { sources, already_forgotten, drawers_removed, facts_removed, staged_removed } = forgotten;
  terminal.json(forgotten);
  sayNames(terminal, 'forgot', sources.map(nameOf));
  const before = already_forgotten > 0 ? `, ${already_forgotten} forgotten before` : '';
  terminal.say(
    `${plural(sources.length, 'source')} forgotten${before}: ${plural(drawers_removed, 'drawer')} and ${plural(staged_removed, 'staged file')} erased`,
  );
  if (facts_removed > 0) terminal.say(`${plural(facts_removed, 'fact')} taken from there erased`);
  terminal.note(`note: ${OWN_COPIES}`);
  const { backups: changed, unknown, log_emptied: logEmptied } = forgotten;
  sayReach({ backups: changed, unknown, logEmptied }, false, terminal);
  return isIncomplete(forgotten) ? EXIT.incomplete : EXIT.done;
}

/**
 * What is to be forgotten; undefined with --list.
 *
 * @throws UserError `usage`
 */
export function whatOf(flags: ForgetFlags): Forgettable | undefined {
  const { source, session, wing, run, list = false, allowAgain = false } = flags;
  const given = [source, session, wing, run].filter((value) => value !== undefined).length;
  if (list ? given > 0 || allowAgain : given !== 1) {
    const several = given > 0 ? ', and only one' : '';
    throw new UserError('usage', `one of --source, --session, --wing, --run and --list is needed${several}`, {
      hint: 'mempalace forget --help describes them',
    });
  }
  if (list || allowAgain)
    for (const [name, value] of [
      ['--backups', flags.backups],
      ['--preview', flags.preview],
    ] as const)
      if (value !== undefined && value !== false)
        throw new UserError('usage', `${name} is for erasing: not with --list or --allow-again`);
  if (list) return undefined;
  return { source, session, wing, run, paths: source === undefined ? [] : [resolve(source)] };
}

/** Secrets are redacted in filed names, but not in the name that the user gives. */
async function asFiled(what: Forgettable, context: CommandContext): Promise<Forgettable> {
  const { source, paths = [] } = what;
  if (source === undefined) return what;
  const { cleanPath } = await import('../../../sanitiser/index.js');
  const sanitiser = await sanitiserFor(true, context);
  const [name, ...cleaned] = await Promise.all([source, ...paths].map((path) => cleanPath(path, sanitiser)));
  const others = new Set([source, ...paths, ...cleaned]);
  others.delete(name ?? source);
  return { ...what, source: name, paths: [...others] };
}

function sayPreview(preview: ForgetPreview, terminal: Terminal): undefined {
  const { sources, drawers_removed, staged_removed, facts, copies, collections, backups_removed } = preview;
  sayNames(terminal, 'would forget', sources.map(nameOf));
  const backups = preview.backups.map((file) => {
    return { file, outcome: backups_removed.includes(file) ? ('removed' as const) : ('erased' as const) };
  });
  sayReach({ backups, unknown: [], logEmptied: true }, true, terminal);
  if (facts.length > 0) terminal.say(`would erase ${plural(facts.length, 'fact')} taken from there`);
  terminal.say(
    `would erase ${plural(drawers_removed, 'drawer')} of ${plural(sources.length, 'source')} and ${plural(staged_removed, 'staged file')}`,
  );
  for (const name of collections) terminal.say(`would remove drawers from the collection ${line(name)}`);
  for (const { drawers: same, ...source } of terminal.options.verbose ? copies : copies.slice(0, NAMES_SHOWN))
    terminal.say(`${nameOf(source)} stays, with ${plural(same, 'passage')} of the same text`);
  terminal.note(`note: ${OWN_COPIES}`);
}

type Named = Pick<ForgetPreview['sources'][number], 'title' | 'source_file'>;

const nameOf = ({ title, source_file }: Named): string => line(title ?? '') || line(source_file);

function named({ sources, already_forgotten, drawers_removed }: ForgetPreview): string {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return nameOf(only);
  if (sources.length === 0) return `the remains of ${plural(already_forgotten, 'forgotten source')}`;
  return `${plural(sources.length, 'source')} with ${plural(drawers_removed, 'drawer')}`;
}
