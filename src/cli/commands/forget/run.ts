import { countStaged } from '../../../feeders/staging/erase-staged.js';
import { changedSincePreview } from '../../../maintenance/forgettable.js';
import { forgetPreviewDocument, forgottenDocument } from '../../../presentation/forgetting.js';
import type { ForgetPreview } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { confirm } from '../../app/confirm.js';
import { sayReach } from '../../app/erased.js';
import { EXIT } from '../../app/exit.js';
import { forgetInRun, isIncomplete } from '../../app/forgetting.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { type ForgetFlags, type What, whatOf } from './config.js';

const SHOWN = 10;
const OWN_COPIES = 'backups and exports that you made elsewhere are unchanged';
const NOTHING = {
  sources: [],
  alreadyForgotten: 0,
  drawers: 0,
  facts: 0,
  staged: 0,
  backups: [],
  unknown: [],
  logEmptied: true,
};

/** `mempalace forget`. */
export async function runForget(context: CommandContext, flags: ForgetFlags): Promise<number | undefined> {
  const given = whatOf(flags);
  const { terminal, folders } = context;
  if (given === undefined) return (await import('./again.js')).listForgotten(context);
  const what = await asFiled(given, context);
  if (flags.allowAgain === true) return (await import('./again.js')).allowAgain(what, flags, context);
  const { dryRun = false, backups: removeBackups = false, yes = false } = flags;
  const preview = await withService(context, (service, call) =>
    service.forgetPreview({ what, removeBackups }, call),
  );
  if (flags.preview !== undefined && flags.preview !== preview.id) throw changedSincePreview();
  const traces = [...preview.sources, ...preview.forgotten];
  if (dryRun) terminal.json(forgetPreviewDocument(preview, countStaged(folders.cache, traces)));
  if (traces.length === 0) {
    if (!dryRun) terminal.json(forgottenDocument(NOTHING));
    terminal.note('nothing in the palace matches; see mempalace list sources and mempalace forget --list');
    return EXIT.nothingFound;
  }
  if (dryRun) return sayPreview(preview, countStaged(folders.cache, traces), terminal);
  if (!(await confirm(`Erase ${named(preview)} for good?`, yes, context))) return;
  // The user has agreed to what is named; with --yes, to what matches.
  const asked = { what, removeBackups, preview: yes ? flags.preview : preview.id };
  const forgotten = await forgetInRun(asked, flags.wait, context);
  const { sources, alreadyForgotten, drawers, facts, staged } = forgotten;
  terminal.json(forgottenDocument(forgotten));
  printSources('forgot', sources, terminal);
  const before = alreadyForgotten > 0 ? `, ${alreadyForgotten} forgotten before` : '';
  terminal.say(
    `${plural(sources.length, 'source')} forgotten${before}: ${plural(drawers, 'drawer')} and ${plural(staged, 'staged file')} erased`,
  );
  if (facts > 0) terminal.say(`${plural(facts, 'fact')} taken from there erased`);
  terminal.note(`note: ${OWN_COPIES}`);
  sayReach(forgotten, false, terminal);
  return isIncomplete(forgotten) ? EXIT.incomplete : EXIT.done;
}

/** Secrets are redacted in filed names, but not in the name that the user gives. */
async function asFiled(what: What, context: CommandContext): Promise<What> {
  if (what.by !== 'source') return what;
  const { cleanPath } = await import('../../../sanitiser/index.js');
  const sanitiser = await sanitiserFor(true, context);
  const name = await cleanPath(what.name, sanitiser);
  const paths = await Promise.all(what.paths.map((path) => cleanPath(path, sanitiser)));
  const others = new Set([what.name, ...what.paths, ...paths]);
  others.delete(name);
  return { ...what, name, paths: [...others] };
}

function sayPreview(preview: ForgetPreview, staged: number, terminal: Terminal): undefined {
  const { sources, drawers, facts, copies, collections, backups } = preview;
  printSources('would forget', sources, terminal);
  sayReach({ backups, unknown: [], logEmptied: true }, true, terminal);
  if (facts.length > 0) terminal.say(`would erase ${plural(facts.length, 'fact')} taken from there`);
  terminal.say(
    `would erase ${plural(drawers, 'drawer')} of ${plural(sources.length, 'source')} and ${plural(staged, 'staged file')}`,
  );
  for (const name of collections) terminal.say(`would remove drawers from the collection ${line(name)}`);
  for (const { drawers: same, ...source } of shown(copies, terminal))
    terminal.say(`${nameOf(source)} stays, with ${plural(same, 'passage')} of the same text`);
  terminal.note(`note: ${OWN_COPIES}`);
}

type Named = Pick<ForgetPreview['sources'][number], 'title' | 'sourceFile'>;

const nameOf = ({ title, sourceFile }: Named): string => line(title ?? '') || line(sourceFile);

function named({ sources, forgotten, drawers }: ForgetPreview): string {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return nameOf(only);
  if (sources.length === 0) return `the remains of ${plural(forgotten.length, 'forgotten source')}`;
  return `${plural(sources.length, 'source')} with ${plural(drawers, 'drawer')}`;
}

function printSources(verb: string, sources: readonly Named[], terminal: Terminal): void {
  const some = shown(sources, terminal);
  for (const source of some) terminal.say(`${verb} ${nameOf(source)}`);
  if (some.length < sources.length) terminal.say(`${verb} ${sources.length - some.length} more (--verbose)`);
}

function shown<T>(items: readonly T[], terminal: Terminal): readonly T[] {
  return terminal.options.verbose ? items : items.slice(0, SHOWN);
}
