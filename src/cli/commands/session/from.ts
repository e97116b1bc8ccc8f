import { UserError } from '../../../core/errors.js';
import { HARNESSES } from '../../../feeders/transcripts/harnesses/index.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/sanitiser.js';
import type { SessionFlags } from '../../programs/session.js';
import { isNarrowed, sinceOf } from './run.js';
import { feedTranscripts, placesOf } from './transcripts.js';

const COMMAND = 'mempalace-session';

/**
 * `mempalace-session --from`: files the transcripts of another program. Returns the exit code.
 *
 * @throws UserError `usage` for an unknown program or an option that only opencode has, `not-found` for its folder
 */
export async function runSessionFrom(
  from: string,
  flags: SessionFlags,
  context: CommandContext,
): Promise<number> {
  // Exports do not have a usual folder.
  const programs = HARNESSES.filter(({ places }) => places !== undefined);
  const harness = programs.find(({ name }) => name === from);
  if (harness === undefined) {
    const names = programs.map(({ name }) => name).sort();
    throw new UserError('usage', `--from takes opencode, ${names.join(', ')}, not "${from}"`);
  }
  const { minMessages, wing, redact } = flags;
  refuseDatabaseOptions(flags, from);
  const folders = placesOf(harness, context.env);
  if (folders.length === 0) {
    const looked = (harness.places?.(context.env) ?? []).join(', ');
    throw new UserError('not-found', `no sessions of ${harness.label} found: there is no folder ${looked}`);
  }
  const shown = await Promise.all(folders.map((folder) => shownPath(folder, redact, context)));
  const [folder] = shown;
  const more = shown.length > 1 ? { folders: shown } : { folder };
  const scope = JSON.stringify({ from, ...more, minMessages, wing: wing ?? null, redact });
  const fed = await feedTranscripts(
    (palace) => ({
      places: folders.map((each) => ({ folder: each, harness })),
      since: sinceOf(flags, scope, palace, context),
      minMessages,
      wing,
      room: undefined,
    }),
    { command: COMMAND, scope, narrowed: isNarrowed(flags), flags },
    context,
  );
  return fed.exitCode;
}

function refuseDatabaseOptions(flags: SessionFlags, harness: string): void {
  const options = Object.entries({
    '--db': flags.db,
    '--session': flags.session,
    '--directory': flags.directory,
    '--no-subagents': !flags.subagents,
    '--repair': flags.repair,
  }).flatMap(([name, used]) => (used ? [name] : []));
  if (options.length === 0) return;
  throw new UserError('usage', `${options.join(', ')}: for sessions of opencode, not with --from ${harness}`);
}
