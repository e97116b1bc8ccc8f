import { existsSync } from 'node:fs';
import { UserError } from '../../../core/errors.js';
import { buildSourceKey, KEY_KIND, MANUAL_CHECKPOINT, parseSourceKey } from '../../../core/source-key.js';
import { lastSessionIn, type SessionNote, sessionWithId } from '../../../hooks/sessions.js';
import { Palace } from '../../../store/index.js';
import { isNamed } from '../../app/broker.js';
import type { Fed, Feed } from '../../app/feed.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { announcedSanitiser } from '../../app/sanitiser.js';
import { line, Terminal } from '../../terminal/terminal.js';
import { feedTranscripts } from '../session/transcripts.js';

const COMMAND = 'mempalace checkpoint';
/** Wait for another run, milliseconds. */
const WAIT_MS = 60_000;

interface MakeFlags extends CommonFlags {
  session?: string;
  note?: string;
  redact: boolean;
}

interface Session {
  /** The key of its source. */
  key: string;
  /** Undefined for opencode. */
  transcript: string | undefined;
}

/**
 * `mempalace checkpoint`: files the session, and a checkpoint of it with the note. Returns the exit code.
 *
 * @throws UserError `not-found` for an unknown session; `failed` if no checkpoint was filed
 */
export async function make(context: CommandContext, flags: MakeFlags): Promise<number> {
  const { terminal } = context;
  const { key, transcript } = await sessionFor(context, flags.session);
  const sanitiser = await announcedSanitiser(flags.redact, context);
  const note = flags.note === undefined ? undefined : (await sanitiser.clean(flags.note)).text;
  const name = `${MANUAL_CHECKPOINT}${new Date().toISOString().replace(/[-:.]/g, '')}`;
  const checkpoints: Feed['checkpoints'] = new Map([[key, { kind: 'manual', name, note }]]);
  const options = { ...terminal.options, json: false, quiet: true };
  const silent = { ...context, terminal: new Terminal(terminal.io, options, terminal.log) };
  const filing = { wait: WAIT_MS, redact: flags.redact };
  const { owner } = parseSourceKey(key);
  const id = `${buildSourceKey({ kind: KEY_KIND.checkpoint, owner: key, name })}.md`;
  let fed: Fed;
  if (transcript === undefined) {
    const { feedSessions } = await import('../session/run.js');
    const all = { minMessages: 0, subagents: true, backup: true, color: false };
    fed = await feedSessions({ ...all, ...filing, session: [owner] }, silent, checkpoints);
  } else {
    const choice = { places: [], files: [transcript], minMessages: 0, wing: undefined, room: undefined };
    const scope = JSON.stringify({ session: owner });
    const run = { command: COMMAND, scope, narrowed: true, flags: filing, checkpoints };
    fed = await feedTranscripts(() => choice, run, silent);
  }
  const isFiled = await withService(
    context,
    async (service, call) => {
      const made = await service.checkpoints({ name: id, limit: 1, offset: 0 }, call);
      return made.total > 0;
    },
    { warns: false },
  );
  if (!isFiled)
    throw new UserError('failed', `no checkpoint of ${line(key)} was filed`, {
      hint: 'the session cannot be read, says nothing yet, or was forgotten',
    });
  terminal.json({ command: COMMAND, checkpoint_id: id, session: key });
  terminal.say(`filed: ${line(id)}`);
  return fed.exitCode;
}

const noteOn = (note: SessionNote | undefined) =>
  note && {
    sourceKey: buildSourceKey({ kind: note.harness, owner: note.sessionId }),
    origin: note.harness === 'opencode' ? 'opencode:' : (note.transcript ?? ''),
  };

/** The named session, else the last one in this folder: of the hooks, or filed. */
async function sessionFor(context: CommandContext, named: string | undefined): Promise<Session> {
  const { palace: folder } = context.folders;
  const cwd = process.cwd();
  if (named === undefined) {
    const noted = lastSessionIn(folder, cwd);
    if (noted !== undefined) {
      const key = buildSourceKey({ kind: noted.harness, owner: noted.sessionId });
      return { key, transcript: noted.harness === 'opencode' ? undefined : noted.transcript };
    }
  }
  // Behind a named broker, the palace does not know where the transcripts of this machine are; the hooks noted it.
  const found = isNamed(context.config)
    ? noteOn(named === undefined ? undefined : sessionWithId(folder, parseSourceKey(named).owner))
    : Palace.look(folder, (palace) => palace.checkpoints.session(named, cwd));
  if (found === undefined)
    throw new UserError(
      'not-found',
      named === undefined ? 'no session in this folder' : `no session ${named}`,
      {
        hint: 'mempalace list sources --type conversation shows the filed sessions',
      },
    );
  const isStored = found.origin.startsWith('opencode:');
  if (!isStored && !existsSync(found.origin))
    throw new UserError('not-found', `the transcript of ${found.sourceKey} is gone`);
  return { key: found.sourceKey, transcript: isStored ? undefined : found.origin };
}
