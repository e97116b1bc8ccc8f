import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Config } from '../config/index.js';
import { leftOut } from '../config/settings.js';
import { isErrno, messageOf } from '../core/errors.js';
import { NOTICE, quotable } from '../core/outside.js';
import { type WakeUp, wakeUp } from '../reading/wake-up.js';
import type { Palace } from '../store/index.js';

/** Least useful length. */
export const LEAST_TOKENS = 50;

/** The wake-up text for a configuration. @returns `trouble`: why the identity file cannot be read */
export function wakeUpOf(
  palace: Palace,
  config: Config,
  { wing, tokens, agent }: { wing: string | undefined; tokens: number; agent?: string | undefined },
): WakeUp & { identified: boolean; trouble: string | undefined } {
  const { text: identity, trouble } = readIdentity(config.wakeUp.identity);
  const woken = wakeUp(palace, {
    tokens,
    place: { wing, without: leftOut(config.search.cold, { wing }) },
    agent,
    identity,
    weights: config.search.weights,
    halfLifeDays: config.search.halfLifeDays,
    now: Date.now(),
    notice: `memory (${NOTICE})`,
    clean: (text) => quotable(text),
  });
  return { ...woken, identified: identity !== undefined, trouble };
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
