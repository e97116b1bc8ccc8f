/** What a client's configuration says about the server. */
export type Entry = Program | Remote;

/** A program that the client starts. */
export interface Program {
  command: string;
  args: readonly string[];
}

/** A server that the client reaches over HTTP. */
export interface Remote {
  url: string;
  token: string;
  /** The file with the token, absolute: for a client that reads it by itself. */
  tokenFile: string;
}

/** The server's name in clients, which also prefix its tools with it. */
export const SERVER_NAME = 'mempalace';

/** A program whose configuration we write. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** The configuration file, absolute. */
  file(places: Places): string;
  /** The objects of a JSON file that `set` may add. */
  readonly containers: readonly string[][];
  /** The present entry, in the client's own form; undefined without one. @throws as `set` does */
  entryIn(text: string): unknown;
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

export const isRemote = (entry: Entry): entry is Remote => 'url' in entry;

/** The headers of a request with a token. */
export const headersOf = (token: string): { Authorization: string } => ({
  Authorization: `Bearer ${token}`,
});

/**
 * Whether the client starts a program for this entry. Then the user's additions (variables, limits) stay when command
 * and arguments change. Any other entry with our name is replaced as a whole.
 */
export function startsProgram(entry: unknown): entry is Record<string, unknown> {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry) && !('url' in entry);
}
