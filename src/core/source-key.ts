/**
 * A source's unique key in the palace: `<kind>:<owner>` or `<kind>:<owner>/<name>`.
 *
 * | kind | owner | name |
 * | --- | --- | --- |
 * | `doc` | project id | relative path |
 * | `opencode`, `claude-code` and other programs | session id | sub-agent, for its transcript |
 * | `mempalace` (imported) | hash | name of the original file |
 * | `drawer` (written by an agent) | id | `drawer.md` |
 * | `diary` | agent | name of the entry |
 * | `checkpoint` | key of the session, `<program>:<session id>` | number, or `manual-<time>` |
 * | `summary` (made by a model) | likewise | `summary.md` |
 * | `conflict` | id of the fact that was ended | id of the one that was kept |
 */
export interface SourceKey {
  kind: string;
  owner: string;
  name?: string | undefined;
}

export const KEY_KIND = {
  document: 'doc',
  opencode: 'opencode',
  imported: 'mempalace',
  drawer: 'drawer',
  diary: 'diary',
  checkpoint: 'checkpoint',
  summary: 'summary',
} as const;

/** Begins the name of a checkpoint that the user asked for; its time follows. */
export const MANUAL_CHECKPOINT = 'manual-';

/** Kinds of sources that repeat what their session says. The owner in their keys is the session's key. */
export const DERIVED_KINDS: readonly string[] = [KEY_KIND.checkpoint, KEY_KIND.summary];

/** @param owner contains a slash only if there is no name, and in the key of a sub-agent's session */
export function buildSourceKey({ kind, owner, name }: SourceKey): string {
  return name === undefined ? `${kind}:${owner}` : `${kind}:${owner}/${name}`;
}

export function parseSourceKey(key: string): SourceKey {
  const colon = key.indexOf(':');
  const slash = key.indexOf('/', colon);
  const kind = key.slice(0, Math.max(0, colon));
  if (slash < 0) return { kind, owner: key.slice(colon + 1) };
  return { kind, owner: key.slice(colon + 1, slash), name: key.slice(slash + 1) };
}

export function documentKey(projectId: string, path: string): string {
  return buildSourceKey({ kind: KEY_KIND.document, owner: projectId, name: path });
}

/** The relative path of a document in its project; for other sources, the name. */
export function pathOfKey(key: string): string {
  return parseSourceKey(key).name ?? '';
}

export function isOfKind(key: string, kind: string): boolean {
  return key.startsWith(`${kind}:`);
}

/** Keys of the sessions of which a source may repeat words: the owner, and if that is a sub-agent, its session. */
export function repeatedKeys(key: string): string[] {
  const kind = DERIVED_KINDS.find((each) => isOfKind(key, each));
  const parts = kind === undefined ? [] : key.slice(kind.length + 1).split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
