import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { approve, withdrawApprovals } from '../../../config/approvals.js';
import { addProject, type ProjectList, readProjectList, removeProject } from '../../../config/projects.js';
import { UserError } from '../../../core/errors.js';
import type { ProjectConfig } from '../../../feeders/docs/config.js';
import type { Folders } from '../../../platform/folders.js';
import { resolveLinks } from '../../../platform/resolve-links.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';
import type { Document } from '../../../rest/documents.js';
import { line } from '../../../terminal/terminal.js';
import { canAsk, confirm } from '../../app/confirm.js';
import { EXIT } from '../../app/exit.js';
import { type CommonFlags, createCommand, type FlagsOf } from '../../app/options.js';
import { type BareContext, bareAction } from '../../app/runner.js';

const HELP = `
Without a command, projects prints the list.

If rules in the project's mempalace.yaml say "priority: high", add asks whether
wake-up may show those documents. The approval ends when that file changes. Only
this command can give it, on a terminal or with --yes.

Examples:
  mempalace projects add ~/my-project   file it with mempalace-docs --all
  mempalace projects                    print the list`;

const add = createCommand('add', 'Add a project')
  .argument('<dir>', 'a project folder')
  .option('--yes', 'do not ask');
type AddFlags = FlagsOf<typeof add>;

export const command = createCommand('projects', 'The list of projects for mempalace-docs --all')
  .addCommand(createCommand('list', 'Print the list').action(bareAction(listProjects)), { isDefault: true })
  .addCommand(add.action(bareAction(addListed)))
  .addCommand(
    createCommand('remove', 'Remove a project')
      .argument('<dir>', 'a project folder')
      .action(bareAction(remove)),
  )
  .addHelpText('after', HELP);

async function listProjects({ folders, terminal }: BareContext): Promise<number> {
  const list = readProjectList(folders);
  terminal.json(listJson(list));
  if (!terminal.options.json) printList(list, folders, terminal);
  return list.problems.length > 0 ? EXIT.incomplete : EXIT.done;
}

async function addListed(context: BareContext, flags: AddFlags, dir: string): Promise<void> {
  const { folders } = context;
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('not-found', `there is no folder ${JSON.stringify(dir)}`);
  if (!stat.isDirectory()) throw new UserError('usage', `${JSON.stringify(dir)} is not a folder`);
  const { findProjectRoot } = await import('../../../feeders/docs/root.js');
  const { readProjectConfig } = await import('../../../feeders/docs/config.js');
  const { root } = await findProjectRoot(dir, folders.home);
  const config = await readProjectConfig(root);
  const changed = addProject(folders, resolve(dir));
  const approved = config === undefined ? null : await approveRules(root, config, flags, context);
  report(dir, changed ? 'added to' : 'is already listed in', { changed, approved }, context);
}

/** @param changes `approved` is null if the project has no rules that pin */
function report(
  dir: string,
  what: string,
  changes: { changed: boolean; approved: boolean | null },
  { folders, terminal }: BareContext,
): void {
  const list = readProjectList(folders);
  terminal.json({ ...listJson(list), ...changes });
  terminal.say(`${line(resolve(dir))} ${what} ${line(list.path)}`);
}

/** Asks whether the rules of a project may pin, unless this version is approved already. */
async function approveRules(
  root: string,
  config: ProjectConfig,
  { yes }: AddFlags,
  context: BareContext,
): Promise<boolean | null> {
  const { folders, terminal } = context;
  const { approvalOfRules, pinningRules, rulesFile } = await import('./pinning-rules.js');
  const rules = pinningRules(config);
  if (rules.length === 0) return null;
  if (approvalOfRules(root, config, folders).approved) return true;
  const file = rulesFile(root);
  terminal.note(`${line(file)} gives priority high to:`);
  for (const { match } of rules) terminal.note(`  ${line(match)}`);
  const question = 'May these documents be shown to agents at the start of every session?';
  if (yes === true || (canAsk(terminal) && (await confirm(question, yes, context)))) {
    approve(folders, file, config.sha256);
    terminal.note('wake-up prints them after the next run of mempalace-docs, until that file changes');
    return true;
  }
  const cure = line(`mempalace projects add --yes ${shellQuoted(root)}`);
  terminal.note(`they rank higher in search, but wake-up does not print them; to approve: ${cure}`);
  return false;
}

async function remove(context: BareContext, _: CommonFlags, dir: string): Promise<void> {
  const { folders } = context;
  const dirs = [resolve(dir), resolveLinks(dir) ?? resolve(dir)];
  const changed = removeProject(folders, dirs);
  const [{ findProjectRoot }, { rulesFile }] = await Promise.all([
    import('../../../feeders/docs/root.js'),
    import('./pinning-rules.js'),
  ]);
  const roots = isThere(dir) ? [(await findProjectRoot(dir, folders.home)).root] : dirs;
  withdrawApprovals(folders, roots.map(rulesFile));
  report(dir, changed ? 'removed from' : 'is not listed in', { changed, approved: null }, context);
}

function printList(list: ProjectList, folders: Folders, terminal: BareContext['terminal']): void {
  for (const { dir } of list.projects) {
    terminal.data(`${line(dir)}${isThere(dir) ? '' : '  (does not exist)'}`);
  }
  for (const { line: at, text, reason } of list.problems) {
    terminal.warn(line(`${list.path}:${at}: ${reason}: ${text}`));
  }
  if (list.projects.length === 0) {
    const where = list.path.replace(`${folders.home}/`, '~/');
    terminal.note(`${line(where)} lists no project: mempalace projects add <dir>`);
  }
}

export function projectsDocument(folders: Pick<Folders, 'config' | 'home'>): Document<'projects'> {
  return listJson(readProjectList(folders));
}

function listJson({ path, exists, projects, problems }: ProjectList): Document<'projects'> {
  return {
    path,
    exists,
    projects: projects.map(({ dir, line }) => ({ dir, line, there: isThere(dir) })),
    problems: problems.map(({ line, text, reason }) => ({ line, text, reason })),
  };
}

function isThere(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
}
