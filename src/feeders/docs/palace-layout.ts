import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno, UserError } from '../../core/errors.js';
import { ARCHIVE_ROOM, CHAMBERS_ROOM, HALL_ROOM, REFLECTION_ROOM } from '../../core/palace-rooms.js';
import { statOf } from '../staging/staged-files.js';
import { CONFIG_NAME } from './config.js';
import type { Room } from './wing-and-room.js';
import { configText, writeProjectConfig } from './write-config.js';

interface LayoutRoom extends Omit<Room, 'keywords'> {
  description: string;
  about: string;
}

/** In the order in which a visitor meets them. */
const LAYOUT_ROOMS: readonly LayoutRoom[] = [
  {
    name: HALL_ROOM,
    description: 'Where everything is: the room map and logs',
    about:
      '`mempalace map --write` writes the room map into this folder. Start here when you look for something.',
  },
  {
    name: CHAMBERS_ROOM,
    description: 'What each agent knows: one folder per agent',
    about: 'A folder in it is a room of its own: chambers/01_agent/ is the room `01_agent`.',
    byFolder: true,
  },
  {
    name: 'project_rooms',
    description: 'Notes of long-running projects',
    about: 'Use one folder per project. What holds beyond a project belongs into reflection_wing/.',
  },
  {
    name: REFLECTION_ROOM,
    description: 'What was learned: principles, kernels, patterns',
    about: `A document says in its front matter what it is:

    ---
    title: Round money once, at the end
    type: principle-card
    ---

Types: principle-card, prompt-kernel, failure-pattern, thinking-path, constitution-candidate.
\`mempalace suggestions\` says what to write here.`,
  },
  {
    name: 'dispatch_corridor',
    description: 'Work that is handed over between agents: tasks and their status',
    about: 'Put plans and hand-overs into this folder, one file per piece of work.',
  },
  {
    name: 'conflict_room',
    description: 'How contradictions were resolved',
    about: 'A record says what contradicted what, which statement stays, and why.',
  },
  {
    name: ARCHIVE_ROOM,
    description: 'Cold storage: kept, and left out of searches',
    about: '`mempalace search --cold` and `--room archive_basement` find documents of this folder.',
    cold: true,
  },
];

const README = 'README.md';

/** The files of the layout, relative to its root: READMEs and `mempalace.yaml`. */
export function layoutFiles(): string[] {
  return [...LAYOUT_ROOMS.map(({ name }) => `${name}/${README}`), CONFIG_NAME];
}

/** Files of the layout that do not exist. Any entry of that name counts; `makeLayout` names a file in the place of a folder. */
export function missingFiles(root: string): string[] {
  return layoutFiles().filter((path) => statOf(join(root, path)) === undefined);
}

/**
 * Makes the missing folders and files of a palace of files. What exists is not changed.
 *
 * @param root absolute; made if it is missing
 * @returns the files that it wrote, relative to the root
 * @throws UserError `failed` when one of the folders exists as a link or a file; nothing is written then
 */
export function makeLayout(root: string, wing: string): string[] {
  for (const { name } of LAYOUT_ROOMS) {
    if (lstatSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === false)
      throw new UserError('failed', `${join(root, name)} exists and is not a folder`);
  }
  const made: string[] = [];
  for (const room of LAYOUT_ROOMS) {
    const path = `${room.name}/${README}`;
    mkdirSync(join(root, room.name), { recursive: true });
    if (writeNew(join(root, path), readmeOf(room))) made.push(path);
  }
  const text = configText(
    wing,
    LAYOUT_ROOMS.map(({ about: _, ...room }) => ({ ...room, keywords: [] })),
  );
  if (writeProjectConfig(root, text)) made.push(CONFIG_NAME);
  return made;
}

function readmeOf({ name, description, about }: LayoutRoom): string {
  return `# ${name}\n\n${description}.\n\n${about}\n`;
}

/** Does not follow a link. @returns false when there is an entry of that name */
function writeNew(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}
