import { basename, join } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { CONFIG_NAME, type ProjectConfig, readProjectConfig } from '../../../feeders/docs/config.js';
import { countRooms, type Proposal, proposeRooms } from '../../../feeders/docs/propose.js';
import { findProjectRoot, refuseRoot } from '../../../feeders/docs/root.js';
import { type Survey, surveyProject } from '../../../feeders/docs/survey.js';
import { defaultWing } from '../../../feeders/docs/wing-and-room.js';
import { configExists, configText, writeProjectConfig } from '../../../feeders/docs/write-config.js';
import type { Folders } from '../../../platform/folders.js';
import { plural } from '../../../terminal/durations.js';
import { line, plain } from '../../../terminal/terminal.js';
import { confirm } from '../../app/confirm.js';
import { choiceOption, createCommand, type FlagsOf } from '../../app/options.js';
import { action, type CommandContext, type ProgramContext } from '../../app/runner.js';
import { MAX_FILE_BYTES } from '../docs/run.js';

const HELP = `
Proposes a wing and rooms based on the folders of the documents, and writes only
mempalace.yaml into the project. An existing file is not changed. Use
mempalace-docs to file the documents.

--layout palace makes a palace of files: grand_hall, chambers, project_rooms,
reflection_wing, dispatch_corridor, conflict_room and archive_basement, each
with a README, and a mempalace.yaml that maps them to rooms. It adds
archive_basement to search.cold of your settings. What exists is not changed.
docs/file-palace.md describes it.

Examples:
  mempalace init ~/my-project --dry-run   show what it would write
  mempalace init ~/my-project             write it, after confirmation
  mempalace init --layout palace ~/palace`;

export const command = createCommand('init', 'Propose and write a mempalace.yaml for a project')
  .argument('<dir>', 'the root of a project')
  .addOption(choiceOption('--layout <name>', 'make the folders of this layout', ['palace']))
  .option('--yes', 'do not ask')
  .option('--dry-run', 'show what would be written; write nothing')
  .addHelpText('after', HELP);
command.action(action(runInit));

async function runInit(context: ProgramContext, flags: FlagsOf<typeof command>, dir: string): Promise<void> {
  const { terminal, folders } = context;
  if (flags.layout !== undefined) {
    const { makePalaceOfFiles } = await import('./layout.js');
    return makePalaceOfFiles(context, flags, dir, (root) => filedWing(root, folders));
  }
  await refuseRoot(dir, folders.home, folders);
  const root = await rootOf(dir, folders);
  const file = join(root, CONFIG_NAME);
  if (configExists(root)) return existing(root, context);
  const survey = await surveyed(root, context);
  const wing = (await filedWing(root, folders)) ?? defaultWing(basename(root));
  const proposal = proposeRooms(survey.documents);
  const text = configText(wing, proposal.rooms);
  if (!terminal.options.json) {
    terminal.note(`${plural(survey.documents.length, 'document')} in ${line(root)}`);
    for (const { name, documents } of proposal.rooms)
      terminal.note(`  ${line(name).padEnd(24)} ${plural(documents, 'document')}`);
    for (const { name, documents } of proposal.others)
      terminal.note(`  ${line(name).padEnd(24)} ${plural(documents, 'document')} (default room)`);
    terminal.data(plain(text).trimEnd());
  }
  let written = false;
  if (flags.dryRun !== true && (await confirm(`Write ${line(file)}?`, flags.yes, context))) {
    written = writeProjectConfig(root, text);
    terminal.note(written ? `written: ${line(file)}` : `${line(file)} exists already and is not changed`);
  }
  context.answer({ ...shape(file, wing, proposal), existed: false, written });
}

/** Prints the existing configuration and does not change it. */
async function existing(root: string, context: ProgramContext): Promise<void> {
  const { terminal } = context;
  const file = join(root, CONFIG_NAME);
  const config = await readProjectConfig(root);
  const { documents } = await surveyed(root, context, config);
  const rooms = config?.rooms ?? [];
  const counts = countRooms(documents, rooms);
  const proposal: Proposal = {
    rooms: rooms.map(({ name, description, keywords }) => ({
      name,
      description,
      keywords,
      documents: counts.get(name) ?? 0,
    })),
    others: [...counts]
      .filter(([name]) => !rooms.some((room) => room.name === name))
      .map(([name, count]) => ({ name, documents: count })),
  };
  const shown = shape(file, config?.wing ?? defaultWing(basename(root)), proposal);
  context.answer({ ...shown, existed: true, written: false });
  terminal.say(`${line(file)} exists already and is not changed`);
}

function shape(file: string, wing: string, { rooms, others }: Proposal) {
  return {
    file,
    wing,
    rooms: rooms.map((room) => ({ ...room, description: room.description ?? null })),
    others,
  };
}

/** @throws UserError `usage` for a folder in a project, where the file would create a separate project */
export async function rootOf(dir: string, folders: Folders, command = 'init'): Promise<string> {
  const { root, folder } = await findProjectRoot(dir, folders.home);
  if (folder === undefined) return root;
  throw new UserError('usage', `${JSON.stringify(dir)} is a folder of the project ${root}`, {
    hint: `mempalace ${command} ${root}`,
  });
}

/** The documents that `mempalace-docs` would file without flags. */
export function surveyed(
  root: string,
  { config, signal }: CommandContext,
  own?: ProjectConfig,
): Promise<Survey> {
  return surveyProject({
    root,
    include: [],
    exclude: config.privacy.excludePatterns,
    gitignore: true,
    maxFileSize: MAX_FILE_BYTES,
    config: own,
    signal,
  });
}

/** The current wing of the project; another one would move its documents. */
async function filedWing(root: string, folders: Folders): Promise<string | undefined> {
  const { Palace, palaceExists } = await import('../../../store/index.js');
  if (!palaceExists(folders.palace)) return undefined;
  return Palace.look(
    folders.palace,
    ({ projects }) => projects.all().find((project) => project.root === root)?.wing,
  );
}
