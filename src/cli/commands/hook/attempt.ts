import { messageOf, UserError } from '../../../core/errors.js';
import { sessionKey } from '../../../hooks/protocol.js';
import { beginTry, putBack, type Taken } from '../../../hooks/queue.js';
import { brokenInstall } from '../../app/broken-install.js';
import { isNamed } from '../../app/broker.js';
import type { Fed } from '../../app/feed.js';
import type { FilingFlags } from '../../app/options.js';
import { filingModel } from '../../app/palace-model.js';
import type { CommandContext } from '../../app/runner.js';
import { feedNamed } from '../session/transcripts.js';
import type { Watchdog } from './watchdog.js';

export const COMMAND = 'mempalace hook flush';
/** Error codes of failed writes. */
const DISK_REFUSES = /^(?:ENOSPC|EDQUOT|EFBIG|EROFS|SQLITE_FULL|SQLITE_IOERR_(?:WRITE|FSYNC|TRUNCATE|SHM))/;

/** `cut`: the time was up, and the group has got on. `reason` is why it is not filed. */
export type Attempt =
  | { result: 'filed' }
  | { result: 'cut' }
  | { result: 'unread' | 'failed'; reason: string };

/**
 * Files a group. A failure does not stop the other groups.
 *
 * @throws errors that would affect every session; the entries stay queued, and no try is counted
 */
export async function attempt(
  group: readonly Taken[],
  filing: FilingFlags,
  watchdog: Watchdog,
  context: CommandContext,
): Promise<Attempt> {
  for (const entry of group) beginTry(entry);
  const borrowing: CommandContext = {
    ...context,
    startEmbedder: async (asked) =>
      (await import('../../app/broker-model.js')).borrowEmbedder(COMMAND, context, asked),
  };
  try {
    return attemptOf(await fileGroup(group, filing, borrowing));
  } catch (error) {
    const cause = context.signal.aborted || isNoFaultOfSessions(error) ? error : await modelTrouble(context);
    if (cause === undefined) return { result: 'failed', reason: messageOf(error) };
    if (!watchdog.hasAsked) for (const entry of group) putBack(entry);
    throw cause;
  }
}

function attemptOf(fed: Fed | undefined): Attempt {
  const { left = 0, pending = 0, problems = [] } = fed?.summary ?? {};
  if (left > 0) return { result: 'cut' };
  // What is filed is found by words; the next run of any kind makes the vectors that are missing.
  const unread = problems.length - (pending > 0 ? 1 : 0);
  return unread > 0 ? { result: 'unread', reason: 'something could not be read' } : { result: 'filed' };
}

/** An error of the palace, the disk or the installation. */
function isNoFaultOfSessions(error: unknown): boolean {
  const codes = ['locked', 'unreachable', 'interrupted', 'palace-newer', 'palace-damaged'];
  if (error instanceof UserError && codes.includes(error.code)) return true;
  if (brokenInstall(error) !== undefined) return true;
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && DISK_REFUSES.test(String(each.code))) return true;
  }
  return false;
}

/** The error of a model that cannot embed any text: its runtime or a file is missing, or an endpoint is down. */
async function modelTrouble(context: CommandContext): Promise<unknown> {
  // Behind a named broker, the model is there, too.
  if (isNamed(context.config)) return undefined;
  try {
    const { loadEmbedder } = await import('../../../embedding/index.js');
    const { id, dimension } = await filingModel(context.folders.palace, context);
    const embedder = await loadEmbedder({ modelId: id, dimension, env: context.env });
    await embedder.embed(['']).finally(() => embedder.close());
    return undefined;
  } catch (error) {
    return error;
  }
}

async function fileGroup(
  group: readonly Taken[],
  flags: FilingFlags,
  context: CommandContext,
): Promise<Fed | undefined> {
  const [first] = group;
  if (first === undefined) return undefined;
  const { harness, transcript, sessionId } = first;
  const ended = group.filter((entry) => entry.ended || entry.rests).map(sessionKey);
  const checkpoints = new Map(ended.map((key) => [key, { kind: 'end' as const }]));
  const run = { command: COMMAND, flags, checkpoints };
  if (harness === 'opencode')
    return feedNamed({ sessions: group.map((entry) => entry.sessionId) }, run, context);
  if (transcript === undefined) return undefined;
  const { HARNESSES } = await import('../../../feeders/transcripts/harnesses/index.js');
  const program = HARNESSES.find(({ name }) => name === harness);
  if (program === undefined) return undefined;
  const files = [transcript, ...((await program.filesOfSession?.(transcript, sessionId)) ?? [])];
  return feedNamed({ session: sessionId, files }, run, context);
}
