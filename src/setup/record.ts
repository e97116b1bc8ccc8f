import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../core/json.js';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { missingFolders, removeEmptyFolder } from '../platform/make-folder.js';
import { textIfAny } from '../platform/read-text.js';

const written = z.object({
  file: z.string(),
  agent: z.string(),
  /** The file did not exist. */
  made: z.boolean(),
  /** Of the text that was written. */
  sha256: z.string(),
  /** From the text that the user had to the one that was written. */
  hunks: z.array(z.object({ at: z.number(), removed: z.string(), added: z.string() })),
  /** Objects and lists of a JSON file that did not exist. */
  containers: z.array(z.array(z.union([z.string(), z.number()]))),
});

const record = z.object({
  files: z.array(written),
  links: z.array(z.string()),
  /** Folders that did not exist. */
  folders: z.array(z.string()),
  /** Agents whose history was filed. */
  history: z._default(z.array(z.string()), []),
  /** Projects that were added to the list. */
  projects: z._default(z.array(z.string()), []),
  /** Programs that were scheduled. */
  jobs: z._default(z.array(z.string()), []),
});

/** What `mempalace setup` has written in a configuration file, enough to take it back to the byte. */
export type Written = z.infer<typeof written>;
/** What `mempalace setup` has done on this machine. */
export type SetupRecord = z.infer<typeof record>;

const fileOf = ({ data }: Pick<Folders, 'data'>): string => join(data, 'mempalace', 'setup.json');

/** An empty one if there is none, or if it is damaged: then entries and hooks are found by their content, and links stay. */
export function readRecord(folders: Pick<Folders, 'data'>): SetupRecord {
  const found = record.safeParse(parseJson(textIfAny(fileOf(folders)) ?? ''));
  if (found.success) return found.data;
  return { files: [], links: [], folders: [], history: [], projects: [], jobs: [] };
}

/** Removes the file, and the folders that were made, if nothing is on record. @throws the file system's error */
export function writeRecord(folders: Pick<Folders, 'data'>, state: SetupRecord): void {
  const file = fileOf(folders);
  const lists = [state.files, state.links, state.history, state.projects, state.jobs];
  if (lists.some(({ length }) => length > 0)) {
    state.folders.push(...missingFolders(file));
    replaceFile(file, `${JSON.stringify(state)}\n`);
    return;
  }
  rmSync(file, { force: true });
  for (const folder of state.folders.sort((one, other) => other.length - one.length))
    removeEmptyFolder(folder);
}
