/** What the program that asks for a wake-up knows: folders, settings and a file of its machine. Loads no schemas. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Config } from '../../config/index.js';
import { leftOut } from '../../config/settings.js';
import { isErrno, messageOf } from '../../core/errors.js';
import { checkoutAround, locate } from '../../platform/checkout.js';
import { homeFolder } from '../../platform/folders.js';
import type { Start } from './schema.js';

/** @param folders where the user works; empty: in no project; undefined: the whole palace */
export function startIn(
  folders: readonly string[] | undefined,
  { search, wakeUp }: Config,
  { wing, env = process.env, ...more }: { wing?: string; env?: NodeJS.ProcessEnv; or_all?: boolean } = {},
): Start {
  const { recency, importance } = search.weights;
  return {
    around: folders && { ...standingIn(folders, env), ...more },
    without: leftOut(search.cold, { wing }),
    identity: { file: wakeUp.identity, ...readIdentity(wakeUp.identity) },
    patterns: wakeUp.patterns === 'on',
    weights: { recency, importance },
    half_life_days: search.halfLifeDays,
    tokens: wakeUp.tokens,
  };
}

/** The folders are of this machine; one that does not exist is taken as it is named. */
function standingIn(folders: readonly string[], env: NodeJS.ProcessEnv): NonNullable<Start['around']> {
  const locations = folders.map((folder) => locate(folder) ?? { folder });
  const home = homeFolder(env);
  const checkouts = locations.flatMap(({ folder, worktree }) =>
    worktree === undefined ? (checkoutAround(folder, home) ?? []) : [worktree.root, worktree.main],
  );
  return {
    folders: [...new Set([...folders, ...locations.map(({ folder }) => folder)])],
    locations,
    checkouts,
  };
}

/** Far more than an identity needs. */
const IDENTITY_BYTES = 64 * 1024;

/** The beginning of the identity file; empty without a file. */
function readIdentity(path: string): { text?: string; trouble?: string } {
  try {
    // Without blocking on a pipe that has no writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(IDENTITY_BYTES);
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return { text: bytes.toString('utf8', 0, length).replace(/^\ufeff/, '') };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') ? {} : { trouble: messageOf(error) };
  }
}
