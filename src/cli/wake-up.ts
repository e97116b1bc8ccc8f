import { closeSync, constants, openSync, readSync } from 'node:fs';
import { isErrno, messageOf } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import type { Told, WakeUp } from '../reading/index.js';
import type { Palace } from '../store/index.js';
import { parseCount } from './durations.js';
import { EXIT } from './exit.js';
import { absent } from './nothing-found.js';
import { openPalace } from './open-palace.js';
import type { CommonFlags } from './options.js';
import type { Session } from './perform.js';
import { NOTICE, quotable } from './render/quote.js';
import { line, type Terminal } from './terminal.js';

export interface WakeUpFlags extends CommonFlags {
  wing?: string;
  tokens?: string;
}

/** With fewer nothing of use can be told. */
const LEAST_TOKENS = 50;
/** Far more than an identity needs; no budget has room for more. */
const IDENTITY_BYTES = 64 * 1024;

/** `mempalace wake-up`. Returns the exit code. */
export async function runWakeUp(flags: WakeUpFlags, session: Session): Promise<number> {
  const { config, env, terminal } = session;
  const { wing } = flags;
  const tokens =
    flags.tokens === undefined ? config.wakeUp.tokens : parseCount('--tokens', flags.tokens, LEAST_TOKENS);
  const folders = resolveFolders(env, flags.palace);
  const { wakeUp } = await import('../reading/index.js');
  const palace = await openPalace(folders.palace, session.terminal);
  try {
    const identity = readIdentity(config.wakeUp.identity, terminal);
    // Whoever names a cold wing wants it.
    const without = config.search.cold.filter((place) => place !== wing).map(placeOf);
    const result = wakeUp(palace, {
      tokens,
      place: { wing, without },
      identity,
      weights: config.search.weights,
      halfLifeDays: config.search.halfLifeDays,
      now: Date.now(),
      notice: `memory (${NOTICE})`,
      clean: (text) => quotable(text, true),
    });
    if (wing !== undefined && result.holdings.length === 0) noteUnknown(wing, palace, terminal);
    if (terminal.options.json) terminal.json(wakeUpJson(result, tokens, wing));
    else process.stdout.write(result.text);
    return EXIT.done;
  } finally {
    palace.close();
  }
}

function placeOf(place: string): { wing: string; room?: string | undefined } {
  const [wing = '', room] = place.split('/');
  return { wing, room };
}

/** The beginning of the identity file; undefined, and a remark how to make one, where there is none. */
function readIdentity(path: string, terminal: Terminal): string | undefined {
  try {
    // A pipe without a writer is not waited for.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(IDENTITY_BYTES);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).replace(/^\ufeff/, '');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR'))
      terminal.note(
        `hint: write who you are and what you work on into ${line(path)}: wake-up begins with it`,
      );
    else terminal.warn(`the identity file cannot be read: ${line(messageOf(error))}`);
    return undefined;
  }
}

function noteUnknown(wing: string, palace: Palace, terminal: Terminal): void {
  const wings = palace.listing.wings().map((known) => known.wing);
  if (!wings.includes(wing)) terminal.note(absent('wing', wing, wings, 'in this palace'));
}

function wakeUpJson(result: WakeUp, budget: number, wing: string | undefined): Record<string, unknown> {
  return {
    notice: NOTICE,
    wing: wing ?? null,
    budget,
    tokens: result.tokens,
    text: result.text,
    identity: result.identity === '' ? null : result.identity,
    important: result.important.map(toldJson),
    sessions: result.sessions.map(toldJson),
    holdings: result.holdings,
  };
}

function toldJson(told: Told): Record<string, unknown> {
  return {
    kind: told.kind,
    drawer_id: told.drawerId,
    source_key: told.sourceKey,
    session_id: told.sessionId,
    wing: told.wing,
    room: told.room,
    title: told.title === '' ? null : told.title,
    directory: told.directory,
    date: told.day,
    priority: told.priority,
    pinned: told.pinned,
    score: told.score,
    text: told.text,
    cut: told.cut,
  };
}
