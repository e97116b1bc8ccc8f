import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Project, StagedSource } from '../core/contract.js';
import { documentKey, isOfKind, KEY_KIND, parseSourceKey } from '../core/source-key.js';
import { wingProblem } from '../core/wing.js';
import { isInside } from '../platform/manifest-file.js';
import type { Sanitiser } from '../sanitiser/index.js';

/** The stamp of a feeder: `transcriber 1, sanitiser 3`. */
const STAMP = /^(?<before>(?:[a-z][a-z-]{0,30} \d+(?:\.\d+)?, )*)sanitiser (?<version>\d+(?:\.\d+)?)$/;
/** Kinds of keys that conversations do not have: documents, and texts written by agents. */
const NOT_A_SESSION: readonly string[] = Object.values(KEY_KIND).filter((kind) => kind !== KEY_KIND.opencode);
const SESSION_KEY = /^[a-z][a-z0-9-]{0,30}:[^\p{Cc}]{1,300}$/u;
const PROJECT_ID = /^[A-Za-z0-9]{1,64}$/;
const ROOM_CHARS = 128;

/** Whether the feeder used the current sanitiser; with --no-redact always true. */
export function isStampedBy({ madeBy }: StagedSource, { version }: Sanitiser): boolean {
  return version === 0 || STAMP.exec(madeBy)?.groups?.version === String(version);
}

/** Stamps a source that the miner will sanitise. */
export function stampedBy(source: StagedSource, { version }: Sanitiser): StagedSource {
  const stamp = STAMP.exec(source.madeBy)?.groups;
  // With --no-redact, the feeder's own stamp stays.
  if (version === 0 && stamp !== undefined) return source;
  const before = stamp?.before ?? 'staged elsewhere, ';
  return { ...source, madeBy: `${before}sanitiser ${version}` };
}

/**
 * Why a source of a foreign manifest is not filed; undefined when it is as a feeder makes it.
 *
 * @param name of the staged file, relative to the manifest's folder
 */
export function keyProblem(
  source: StagedSource,
  name: string,
  project: Project | undefined,
): string | undefined {
  const { sourceKey, sourceFile, kind, wing } = source;
  const wrong = wingProblem(wing);
  if (wrong !== undefined) return `wing ${JSON.stringify(wing)}: ${wrong}`;
  if (!isInside(sourceFile)) return `staged path ${JSON.stringify(sourceFile)}`;
  const key = `key ${JSON.stringify(sourceKey)}`;
  if (project !== undefined) {
    const relativePath = name.split(sep).join('/');
    const own = PROJECT_ID.test(project.id) && sourceKey === documentKey(project.id, relativePath);
    if (kind !== 'document' || !own) return `${key} is not that of ${relativePath} in its project`;
  } else if (kind === 'document') {
    if (!isOfKind(sourceKey, KEY_KIND.imported)) return `${key} is of a project that is not named`;
  } else if (NOT_A_SESSION.includes(parseSourceKey(sourceKey).kind) || !SESSION_KEY.test(sourceKey))
    return `${key} is not a session's`;
  return undefined;
}

/** Why the text of such a source is not filed. Later runs compare the hash: with a wrong one, they would skip the real text. */
export async function hashProblem({ path, hash }: StagedSource): Promise<string | undefined> {
  return (await hashOf(path)) === hash ? undefined : 'the file does not have the hash that is recorded';
}

/** Redacts the manifest's fields of a source. Its text is sanitised again, regardless of its stamp. */
export async function cleanedSource(source: StagedSource, sanitiser: Sanitiser): Promise<StagedSource> {
  const { title, directory, room, redacted: _, ...rest } = source;
  const clean = async (text: string) => (await sanitiser.clean(text)).text;
  const shortRoom = (await clean(room)).replace(/\p{Cc}/gu, ' ').slice(0, ROOM_CHARS);
  const cleaned = {
    ...rest,
    room: shortRoom,
    ...(title === undefined ? {} : { title: await clean(title) }),
    ...(directory === undefined ? {} : { directory: await clean(directory) }),
  };
  return stampedBy(cleaned, sanitiser);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
