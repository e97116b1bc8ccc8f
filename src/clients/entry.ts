/** How a client starts the server. */
export interface Entry {
  command: string;
  args: readonly string[];
}

/** The name under which clients know the server, and put before the names of its tools. */
export const SERVER_NAME = 'mempalace';

/** How a client's configuration is written. */
export interface Client {
  readonly id: string;
  /** As people call it. */
  readonly name: string;
  /** The file that it reads, absolute. */
  file(places: Places): string;
  /** The text with the entry in place of the one that is there. @throws UserError `config` for what cannot be read */
  set(text: string | undefined, entry: Entry): string;
  /** The text without the entry; unchanged where there is none. @throws as `set` does */
  remove(text: string): string;
}

/** Where configurations lie. */
export interface Places {
  home: string;
  /** `$XDG_CONFIG_HOME`, default `~/.config`. */
  config: string;
  env: NodeJS.ProcessEnv;
  exists: (path: string) => boolean;
}

/**
 * Whether a client's entry is one of a program that it starts: what a user has added to it (variables, limits) stays
 * when command and arguments change. Everything else under our name is replaced as a whole.
 */
export function startsProgram(held: unknown): held is Record<string, unknown> {
  return typeof held === 'object' && held !== null && !Array.isArray(held) && !('url' in held);
}
