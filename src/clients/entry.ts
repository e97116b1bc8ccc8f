/** How a client starts the server. */
export interface Entry {
  command: string;
  args: readonly string[];
}

/** The server's name in clients, which also prefix its tools with it. */
export const SERVER_NAME = 'mempalace';

/** A program whose configuration we write. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** The configuration file, absolute. */
  file(places: Places): string;
  /** Adds or replaces the entry. @throws UserError `config` when the text cannot be parsed */
  set(text: string | undefined, entry: Entry): string;
  /** Removes the entry; without one, the text is unchanged. @throws as `set` does */
  remove(text: string): string;
}

export interface Places {
  home: string;
  /** `$XDG_CONFIG_HOME`, default `~/.config`. */
  config: string;
  env: NodeJS.ProcessEnv;
  exists: (path: string) => boolean;
}

/**
 * Whether the client starts a program for this entry. Then the user's additions (variables, limits) stay when command
 * and arguments change. Any other entry with our name is replaced as a whole.
 */
export function startsProgram(entry: unknown): entry is Record<string, unknown> {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry) && !('url' in entry);
}
