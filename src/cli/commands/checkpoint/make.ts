import { existsSync } from 'node:fs';
import { UserError } from '../../../core/errors.js';
import { buildSourceKey, KEY_KIND, MANUAL_CHECKPOINT, parseSourceKey } from '../../../core/source-key.js';
import { sessionKey } from '../../../hooks/protocol.js';
import { lastSessionIn, sessionNamed } from '../../../hooks/sessions.js';
import { checkpoints } from '../../../operations/reading/checkpoints.js';
import { Palace } from '../../../store/index.js';
import { line } from '../../../terminal/terminal.js';
import { isNamed } from '../../app/broker.js';
import type { Feed } from '../../app/feed.js';
import { withService } from '../../app/open-service.js';
import type { ProgramContext } from '../../app/runner.js';
import { announcedSanitiser } from '../../app/sanitiser.js';
import { feedNamed } from '../session/transcripts.js';
import type { CheckpointFlags } from './command.js';

/** Wait for another run, milliseconds. */
const WAIT_MS = 60_000;
/** Begins the keys and origins of sessions of opencode, which are in a database. */
const STORED = `${KEY_KIND.opencode}:`;

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
export async function make(context: ProgramContext, flags: CheckpointFlags): Promise<number> {
  const { terminal, command } = context;
  const { key, transcript } = await sessionFor(context, flags.session);
  const sanitiser = await announcedSanitiser(flags.redact, context);
  const note = flags.note === undefined ? undefined : (await sanitiser.clean(flags.note)).text;
  const name = `${MANUAL_CHECKPOINT}${new Date().toISOString().replace(/[-:.]/g, '')}`;
  const planned: Feed['checkpoints'] = new Map([[key, { kind: 'manual', name, note }]]);
  const { owner } = parseSourceKey(key);
  const id = `${buildSourceKey({ kind: KEY_KIND.checkpoint, owner: key, name })}.md`;
  const named = transcript === undefined ? { sessions: [owner] } : { session: owner, files: [transcript] };
  const run = { command, flags: { wait: WAIT_MS, redact: flags.redact }, checkpoints: planned };
  const fed = await feedNamed(named, run, context);
  const isFiled = await withService(
    context,
    async (service, call) => {
      const made = await service.ask(checkpoints.checkpointList, { session: id, limit: 1 }, call);
      return made.total !== 0;
    },
    { warns: false },
  );
  if (!isFiled)
    throw new UserError('failed', `no checkpoint of ${line(key)} was filed`, {
      hint: 'the session cannot be read, says nothing yet, or was forgotten',
    });
  context.answer({ checkpoint_id: id, session: key });
  terminal.say(`filed: ${line(id)}`);
  return fed.exitCode;
}

/** The named session, else the last one in this folder: of the hooks, or filed. */
async function sessionFor(context: ProgramContext, named: string | undefined): Promise<Session> {
  const { palace: folder } = context.folders;
  const cwd = process.cwd();
  const isElsewhere = isNamed(context.config);
  // The palace behind a named broker does not know where the transcripts of this machine are; its hooks noted it.
  const noted = named === undefined ? lastSessionIn(folder, cwd) : isElsewhere && sessionNamed(folder, named);
  if (noted) return existing(sessionKey(noted), noted.harness === 'opencode' ? STORED : noted.transcript);
  if (isElsewhere && named?.startsWith(STORED)) return existing(named, STORED);
  const found = isElsewhere
    ? undefined
    : Palace.look(folder, (palace) => palace.checkpoints.session(named, cwd));
  if (found !== undefined) return existing(found.sourceKey, found.origin);
  throw new UserError(
    'not-found',
    named === undefined ? 'no session in this folder' : `no session ${named}`,
    {
      hint: isElsewhere
        ? 'name one that called a hook on this machine, or opencode:<id>'
        : 'mempalace list sources --type conversation shows the filed sessions',
    },
  );
}

/** @throws UserError `not-found` if its transcript is missing */
function existing(key: string, origin = ''): Session {
  if (origin.startsWith(STORED)) return { key, transcript: undefined };
  if (!existsSync(origin)) throw new UserError('not-found', `the transcript of ${key} is gone`);
  return { key, transcript: origin };
}
