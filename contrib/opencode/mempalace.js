// Lets opencode remember by itself: when a session falls idle or is compacted, `mempalace hook run` notes it and
// a background run files what is new; a new session is told what `mempalace wake-up` tells. Whatever fails here,
// opencode goes on. Copy or link this file into ~/.config/opencode/plugins/ (see contrib/README.md).
import { spawn } from 'node:child_process';

/** Longer than a hook ever takes: then it is ended, and opencode goes on without it. */
const LIMIT_MS = 5_000;

/** Runs a hook; resolves with its answer, or with {} whatever goes wrong. */
function hook(name, input) {
  return new Promise((resolve) => {
    try {
      const command = process.env.MEMPALACE_COMMAND || 'mempalace';
      const child = spawn(command, ['hook', 'run', '--hook', name, '--harness', 'opencode'], {
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
  /** What each session was told at its start, since the system prompt is rebuilt for every message. */
  const told = new Map();
  return {
    event: async ({ event }) => {
      const name = HOOK_OF[event?.type];
      const session = event?.properties?.sessionID;
      if (event?.type === 'session.deleted') told.delete(event.properties?.info?.id);
      if (name !== undefined && typeof session === 'string')
        await hook(name, { session_id: session, cwd: directory });
    },
    'experimental.chat.system.transform': async (input, output) => {
      const session = input?.sessionID;
      if (typeof session !== 'string' || !Array.isArray(output?.system)) return;
      if (!told.has(session))
        told.set(session, hook('session-start', { session_id: session, cwd: directory }));
      const { context } = await told.get(session);
      if (typeof context === 'string' && context !== '') output.system.push(context);
    },
  };
};
