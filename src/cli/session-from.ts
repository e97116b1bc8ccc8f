import { statSync } from 'node:fs';
import { UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import type { Palace } from '../store/index.js';
import { dryRunBatches } from './mine-dry-run.js';
import type { Session } from './perform.js';
import { givenSince, sinceLastRun } from './session.js';
import type { SessionConfig } from './session-config.js';
import { shownPath } from './shown-path.js';
import { TRANSCRIPT_HARNESSES, transcriptsFolder } from './transcript-places.js';
import { fileTranscripts, transcriptsOf } from './transcripts.js';

const COMMAND = 'mempalace-session';

/**
 * `mempalace-session --from`: files the transcripts that another harness keeps, read where they lie. Returns the
 * exit code.
 *
 * @throws UserError `usage` for a harness or an option that is opencode's alone, `not-found` for its folder
 */
export async function runSessionFrom(from: string, config: SessionConfig, session: Session): Promise<number> {
  const harness = TRANSCRIPT_HARNESSES.find((name) => name === from);
  if (harness === undefined) {
    throw new UserError('usage', `--from takes opencode, ${TRANSCRIPT_HARNESSES.join(', ')}, not "${from}"`);
  }
  const { dryRun, minMessages, wing, limit } = config;
  const { redact } = config.filing;
  const filing = { ...config.filing, palace: resolveFolders(session.env, config.palace).palace };
  requireNoneOf(foreignOptions(config), harness);
  const folder = transcriptsFolder(harness, session.env);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError('not-found', `no sessions of ${harness}: there is no folder ${folder}`);
  }
  if (!redact) session.terminal.warn('secrets are kept as they are (--no-redact)');
  const given = await givenSince(config);
  const shown = await shownPath(folder, redact, session);
  const scope = JSON.stringify({ from: harness, folder: shown, minMessages, wing: wing ?? null, redact });
  const { Palace } = await import('../store/index.js');
  const reading = async <T>(work: (palace: Palace | undefined) => T | Promise<T>): Promise<T> => {
    const palace = Palace.readIfAny(filing.palace);
    try {
      return await work(palace);
    } finally {
      palace?.close();
    }
  };
  const since = given ?? (await reading((palace) => sinceLastRun(config, scope, palace, session)));
  const choice = { folder, since, minMessages, wing, room: undefined, redact };
  const batch = await transcriptsOf(choice, filing.palace, session);
  if (dryRun) {
    const { force } = filing;
    return reading((palace) => dryRunBatches([batch], { command: COMMAND, palace, force }, session.terminal));
  }
  const narrowed = limit !== undefined || config.since?.kind === 'given';
  return fileTranscripts([batch], { command: COMMAND, scope, narrowed, filing, limit }, session);
}

/** Options that choose among the rows of a database. */
function foreignOptions(config: SessionConfig): string[] {
  const given: [string, boolean][] = [
    ['--db', config.db.length > 0],
    ['--session', config.sessions.length > 0],
    ['--directory', config.directory !== undefined],
    ['--no-subagents', !config.subagents],
    ['--stage-only', config.stageOnly],
    ['--repair', config.repair],
  ];
  return given.flatMap(([name, used]) => (used ? [name] : []));
}

function requireNoneOf(options: readonly string[], harness: string): void {
  if (options.length === 0) return;
  throw new UserError('usage', `${options.join(', ')}: for sessions of opencode, not with --from ${harness}`);
}
