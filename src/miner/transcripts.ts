import { statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Batch, Skipped, StagedSource } from '../common/contract.js';
import { messageOf } from '../common/errors.js';
import { sha256 } from '../common/hash.js';
import { cleanPath, type Sanitiser } from '../sanitiser/index.js';
import { hasMessages, isKimiContext, type TranscriptIdentity, transcriptIdentity } from './segments.js';

const DEFAULT_WING = 'wing_conversations';

export interface TranscriptOptions {
  /** Absolute. */
  folder: string;
  /** Of files in it, relative; without them all that lie below it. */
  names?: readonly string[] | undefined;
  /** Only files changed since, epoch milliseconds. */
  since?: number | undefined;
  /** Passes over those with fewer messages that hold text. */
  minMessages?: number | undefined;
  wing: string | undefined;
  room: string | undefined;
  /** The wing that holds a source already. */
  wingOf: (sourceKey: string) => string | undefined;
  /** For what a transcript says of itself: its title and its folder. */
  sanitiser: Sanitiser;
}

/**
 * The transcripts below a folder, to be read where they lie. Two files of one session and agent are one
 * source: the newer is taken, the other reported.
 */
export async function transcriptBatch(options: TranscriptOptions): Promise<Batch> {
  const names = options.names ?? (await transcriptNames(options.folder));
  const sources = new Map<string, StagedSource>();
  const skipped: Skipped[] = [];
  for (const name of [...names].sort()) {
    const path = join(options.folder, name);
    const origin = await cleanPath(path, options.sanitiser);
    try {
      const reason = await refusal(path, options);
      if (reason !== undefined) {
        skipped.push({ origin, reason });
        continue;
      }
      const identity = await transcriptIdentity(path);
      const shown = {
        origin,
        name: await cleanPath(`${basename(options.folder)}/${name}`, options.sanitiser),
      };
      const source = sourceOf(path, shown, await cleaned(identity, options.sanitiser), options);
      const twin = sources.get(source.sourceKey);
      const [newer, older] =
        twin !== undefined && twin.mtimeMs >= source.mtimeMs ? [twin, source] : [source, twin];
      sources.set(newer.sourceKey, newer);
      if (older !== undefined)
        skipped.push({ origin: older.origin, reason: 'older copy of a session', detail: newer.origin });
    } catch (error) {
      const detail = messageOf(error).replaceAll(path, origin);
      skipped.push({ origin, reason: 'unreadable', detail, problem: true });
    }
  }
  return { sources: [...sources.values()], skipped };
}

/** The transcripts below a folder, or those of it that a pattern names; relative to it. */
async function transcriptNames(folder: string, pattern = '**/*.jsonl'): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const names = await glob(pattern, {
    cwd: folder,
    dot: true,
    followSymbolicLinks: false,
    onlyFiles: true,
    suppressErrors: true,
  });
  const all = new Set(names);
  return names.filter((name) => !isKimiContext(name, all));
}

/**
 * The files of one session: its transcript and those of its sub-agents, which Claude Code keeps in a folder of
 * the session's name or, in earlier versions, beside it, and Kimi CLI in `subagents` beside it.
 *
 * @param path of the session's own transcript, absolute
 * @returns names relative to `folder`, which holds it
 */
export async function filesOfSession(folder: string, path: string, sessionId: string): Promise<string[]> {
  const beside = relative(folder, dirname(path));
  const below = (names: readonly string[], place: string) => names.map((name) => join(beside, place, name));
  const inFolder = await transcriptNames(join(dirname(path), sessionId));
  const subagents = await transcriptNames(join(dirname(path), 'subagents'));
  const own: string[] = [];
  for (const name of await transcriptNames(dirname(path), 'agent-*.jsonl')) {
    const identity = await transcriptIdentity(join(dirname(path), name)).catch(() => undefined);
    if (identity?.sessionId === sessionId) own.push(name);
  }
  return [
    join(beside, basename(path)),
    ...below(inFolder, sessionId),
    ...below(subagents, 'subagents'),
    ...below(own, ''),
  ];
}

/** Why a file is not taken. */
async function refusal(
  path: string,
  { since, minMessages = 0 }: TranscriptOptions,
): Promise<string | undefined> {
  if (since !== undefined && statSync(path).mtimeMs < since) return 'not changed since';
  if (minMessages > 0 && !(await hasMessages(path, minMessages))) return `fewer than ${minMessages} messages`;
  return undefined;
}

async function cleaned(identity: TranscriptIdentity, sanitiser: Sanitiser): Promise<TranscriptIdentity> {
  const { cwd, title, ...rest } = identity;
  const clean = async (text: string) => (await sanitiser.clean(text)).text;
  return {
    ...rest,
    ...(cwd === undefined ? {} : { cwd: await clean(cwd) }),
    ...(title === undefined ? {} : { title: await clean(title) }),
  };
}

function sourceOf(
  path: string,
  shown: { origin: string; name: string },
  identity: TranscriptIdentity,
  options: TranscriptOptions,
): StagedSource {
  const stat = statSync(path);
  const { harness, sessionId, agentId, cwd, title } = identity;
  const session = agentId === undefined ? sessionId : `${sessionId}/${agentId}`;
  // A transcript that names no session is known by its path; hashed, since it is a key and not a place.
  const sourceKey = `${harness}:${sessionId === undefined ? sha256(path).slice(0, 24) : session}`;
  return {
    path,
    sourceKey,
    sourceFile: shown.name,
    origin: shown.origin,
    kind: 'conversation',
    wing: options.wing ?? options.wingOf(sourceKey) ?? DEFAULT_WING,
    room: options.room ?? (basename(cwd ?? '') || 'general'),
    mtimeMs: stat.mtimeMs,
    title,
    sessionId,
    directory: cwd,
    bytes: stat.size,
    hash: '',
    madeBy: `in place, sanitiser ${options.sanitiser.version}`,
  };
}
