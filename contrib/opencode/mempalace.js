// Lets opencode remember by itself: when a session becomes idle or is compacted, `mempalace hook run` queues it and
// a background run files it; a new session receives the text of `mempalace wake-up`, and so does one that is resumed or
// was compacted. If anything fails here, opencode continues. `mempalace setup opencode` links this file into
// ~/.config/opencode/plugins/; it can also be copied there.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Longer than a hook ever takes: after this it is killed, and opencode continues without it. */
const LIMIT_MS = 5_000;

/** The program: the one that a variable names, else that of this checkout, else the one on PATH. */
function program() {
  if (process.env.MEMPALACE_COMMAND) return process.env.MEMPALACE_COMMAND;
  try {
    const own = join(realpathSync(fileURLToPath(import.meta.url)), '..', '..', '..', 'bin', 'mempalace');
    if (existsSync(own)) return own;
  } catch {
    // A copy, or a runtime without files.
  }
  return 'mempalace';
}

/** Runs a hook; resolves to its answer, or to {} on any error. */
function hook(name, input) {
  return new Promise((resolve) => {
    try {
      const child = spawn(program(), ['hook', 'run', '--hook', name, '--harness', 'opencode'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const timer = setTimeout(() => child.kill(), LIMIT_MS);
      timer.unref?.();
      let text = '';
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (piece) => {
        text += piece;
      });
      child.on('error', () => resolve({}));
      child.on('close', () => {
        clearTimeout(timer);
        try {
          resolve(JSON.parse(text));
        } catch {
          resolve({});
        }
      });
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(input));
    } catch {
      resolve({});
    }
  });
}

const HOOK_OF = { 'session.idle': 'stop', 'session.compacted': 'precompact' };

export const Mempalace = async ({ directory }) => {
  /** The text for each session, since the system prompt is rebuilt for every message. */
  const told = new Map();
  /** Sessions that began while this plugin ran: there is nothing to resume. */
  const fresh = new Set();
  const wakeUp = (session, source) => hook('session-start', { session_id: session, cwd: directory, source });
  return {
    event: async ({ event }) => {
      const name = HOOK_OF[event?.type];
      const session = event?.properties?.sessionID;
      if (event?.type === 'session.created') fresh.add(event.properties?.info?.id);
      if (event?.type === 'session.deleted')
        for (const known of [told, fresh]) known.delete(event.properties?.info?.id);
      if (name === undefined || typeof session !== 'string') return;
      const recorded = hook(name, { session_id: session, cwd: directory });
      if (name === 'precompact')
        told.set(
          session,
          recorded.then(() => wakeUp(session, 'compact')),
        );
      await recorded;
    },
    'experimental.chat.system.transform': async (input, output) => {
      const session = input?.sessionID;
      if (typeof session !== 'string' || !Array.isArray(output?.system)) return;
      if (!told.has(session)) told.set(session, wakeUp(session, fresh.has(session) ? 'startup' : 'resume'));
      const { context } = await told.get(session);
      if (typeof context === 'string' && context !== '') output.system.push(context);
    },
  };
};
