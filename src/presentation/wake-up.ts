import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Config } from '../config/index.js';
import { leftOut } from '../config/settings.js';
import { snakeNamed } from '../core/case.js';
import { isErrno, messageOf } from '../core/errors.js';
import { NOTICE } from '../core/outside.js';
import type { Input, WakeUp } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { standingIn } from './scope.js';

/** Least useful length. */
export const LEAST_TOKENS = 50;

interface WakeUpAsked {
  wing?: string | undefined;
  /** Where the user works, in place of a wing; empty: in no project. Undefined: the whole palace. */
  folders?: readonly string[] | undefined;
  tokens: number;
  agent?: string | undefined;
}

/** What a configuration asks of a wake-up. @returns `trouble`: why the identity file cannot be read */
export function wakeUpAsked(
  { search, wakeUp }: Config,
  { wing, folders, tokens, agent }: WakeUpAsked,
  env: NodeJS.ProcessEnv = process.env,
): { input: Input<'wakeUp'>; trouble: string | undefined } {
  const { text: identity, trouble } = readIdentity(wakeUp.identity);
  const { weights, halfLifeDays } = search;
  const without = leftOut(search.cold, { wing });
  const patterns = wakeUp.patterns === 'on';
  return {
    input: {
      wing,
      around: folders && standingIn(folders, env),
      without,
      agent,
      identity,
      patterns,
      tokens,
      weights,
      halfLifeDays,
    },
    trouble,
  };
}

/** Far more than an identity needs. */
const IDENTITY_BYTES = 64 * 1024;

/** The beginning of the identity file; empty without a file, `trouble` when it cannot be read. */
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

/** @param budget tokens at most */
export function wakeUpDocument(result: WakeUp, budget: number): Document<'wakeUp'> {
  return {
    notice: NOTICE,
    wing: result.wing ?? null,
    budget,
    tokens: result.tokens,
    text: result.text,
    identity: result.identity === '' ? null : result.identity,
    important: result.important.map(memoryJson),
    errors: result.errors.map((error) => snakeNamed(error)),
    diary: result.diary.map(memoryJson),
    sessions: result.sessions.map(memoryJson),
    holdings: result.holdings,
    elsewhere: result.elsewhere ?? null,
  };
}

function memoryJson({
  kind,
  drawerId,
  sourceKey,
  sessionId,
  wing,
  room,
  ...memory
}: WakeUp['diary'][number]) {
  const { directory, day: date, priority, pinned, score, text, cut } = memory;
  const title = memory.title === '' ? null : memory.title;
  const place = { kind, drawerId, sourceKey, sessionId, wing, room, title, directory, date };
  return snakeNamed({ ...place, priority, pinned, score, text, cut });
}
