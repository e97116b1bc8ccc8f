import { isMarkdown } from '../../core/front-matter.js';
import { readInProject } from './open-file.js';
import type { FoundDocument } from './survey.js';
import { fold, printable, type Room, roomOf } from './wing-and-room.js';

interface ProposedRoom {
  name: string;
  /** The heading of the README of its folder. */
  description: string | undefined;
  /** Other names of folders whose documents belong into it. */
  keywords: string[];
  documents: number;
}

export interface Proposal {
  rooms: ProposedRoom[];
  /** Rooms without an entry in the configuration: those of a first folder, and `general`. */
  others: { name: string; documents: number }[];
}

const LEAST_DOCUMENTS = 2;
const MOST_ROOMS = 20;
/** Folders that say nothing about the topic: the room is the folder below them. */
const CONTAINERS = new Set(
  'docs doc documentation wiki src source lib libs packages apps services modules crates projects content pages site website .github .gitlab'.split(
    ' ',
  ),
);
/** Usual names of the same topic: first the room, then its keywords. */
const ALIKE: readonly (readonly string[])[] = [
  ['decisions', 'adr', 'adrs', 'decision', 'decision-records', 'architecture-decisions', 'rfc', 'rfcs'],
  ['operations', 'ops', 'runbook', 'runbooks', 'oncall', 'deploy', 'deployment', 'deployments', 'infra'],
  ['guides', 'guide', 'tutorial', 'tutorials', 'howto', 'how-to', 'howtos', 'getting-started'],
  ['api', 'apis', 'openapi', 'reference'],
  ['design', 'designs', 'architecture', 'specs', 'spec', 'proposals'],
  ['notes', 'meetings', 'minutes', 'journal'],
];
const HEAD_BYTES = 4_096;
const MOST_DESCRIPTION = 120;

interface Candidate {
  name: string;
  /** Folders as the project spells them. */
  folders: Set<string>;
  documents: number;
}

/** Proposes rooms from the folders of a project's documents. The counts are those that `roomOf` gives with these rooms. */
export function proposeRooms(documents: readonly FoundDocument[]): Proposal {
  const chosen = [...candidatesOf(documents).values()]
    .filter((candidate) => candidate.documents >= LEAST_DOCUMENTS)
    .sort((a, b) => b.documents - a.documents || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_ROOMS)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const rooms = chosen.map(({ name, folders }) => ({
    name,
    keywords: [...folders].filter((folder) => fold(folder) !== fold(name)).sort(),
  }));
  const counts = countRooms(documents, rooms);
  const named = rooms.filter(({ name }) => counts.has(name));
  const descriptions = chosen.map(({ folders }) => descriptionOf(folders, documents));
  return {
    rooms: named.map((room) => ({
      ...room,
      description: descriptions[rooms.indexOf(room)],
      documents: counts.get(room.name) ?? 0,
    })),
    others: [...counts]
      .filter(([name]) => !rooms.some((room) => room.name === name))
      .map(([name, count]) => ({ name, documents: count })),
  };
}

/** How many documents each room has, sorted by the room's name. */
export function countRooms(
  documents: readonly Pick<FoundDocument, 'relativePath'>[],
  rooms: readonly Room[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { relativePath } of documents) {
    const room = roomOf(relativePath, [...rooms]);
    counts.set(room, (counts.get(room) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function candidatesOf(documents: readonly FoundDocument[]): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  for (const { relativePath } of documents) {
    const folder = relativePath
      .split('/')
      .slice(0, -1)
      .find((name) => !CONTAINERS.has(fold(name)));
    if (folder === undefined || printable(folder) !== folder || folder.length > 128) continue;
    const name = ALIKE.find((names) => names.includes(fold(folder)))?.[0] ?? folder;
    const candidate = candidates.get(fold(name)) ?? { name, folders: new Set(), documents: 0 };
    candidate.folders.add(folder);
    candidate.documents += 1;
    candidates.set(fold(name), candidate);
  }
  return candidates;
}

/** The first heading of a README or index in one of the folders. */
function descriptionOf(
  folders: ReadonlySet<string>,
  documents: readonly FoundDocument[],
): string | undefined {
  for (const { root, relativePath, absolutePath } of documents) {
    const [file = '', folder] = relativePath.split('/').reverse();
    if (
      folder === undefined ||
      !folders.has(folder) ||
      !isMarkdown(file) ||
      !/^(?:readme|index)\./i.test(file)
    )
      continue;
    try {
      const text = readInProject(absolutePath, root, HEAD_BYTES).head.toString('utf8').replace(/\r/g, '');
      const heading = /^# +(.+?)(?: +#+)?$/m.exec(text)?.[1] ?? '';
      const shown = printable(heading).slice(0, MOST_DESCRIPTION);
      if (shown !== '') return shown;
    } catch {
      // A description is optional.
    }
  }
  return undefined;
}
