import { resolveFolders } from '../../platform/folders.js';

/** Options and arguments whose values a palace stores, by their names. */
export const STORED = {
  '--wing': 'wings',
  '--room': 'rooms',
  '--agent': 'agents',
  '--for': 'agents',
  collection: 'collections',
} as const;
export type Stored = (typeof STORED)[keyof typeof STORED];

/** A TAB does not wait for a program that locks the palace, milliseconds. */
const WAIT_MS = 100;
/** Where the diary of an agent is, whose wing is named after it. */
const DIARY = { room: 'diary', wing: 'wing_' };

/**
 * What a palace of this machine stores, for completions; nothing where it cannot be read at once.
 *
 * @param named as after `--palace`; undefined without it
 */
export async function storedNames(
  kind: Stored,
  named: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  try {
    const { loadConfig, namesBroker } = await import('../../config/index.js');
    const config = await loadConfig({ env, folders: resolveFolders(env, named), flags: { palace: named } });
    if (namesBroker(config)) return [];
    const { Palace } = await import('../../store/index.js');
    const palace = Palace.read(config.palace, { waitMs: WAIT_MS, migrate: false });
    try {
      if (kind === 'collections') return palace.collections.all().map(({ name }) => name);
      const rooms = palace.rooms();
      const names = {
        wings: () => rooms.map(({ wing }) => wing),
        rooms: () => rooms.map(({ room }) => room),
        agents: () =>
          rooms.flatMap(({ wing, room }) =>
            room === DIARY.room && wing.startsWith(DIARY.wing) ? [wing.slice(DIARY.wing.length)] : [],
          ),
      }[kind]();
      return [...new Set(names)].sort();
    } finally {
      palace.close();
    }
  } catch {
    return [];
  }
}
