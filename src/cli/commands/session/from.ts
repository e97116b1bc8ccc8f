import { UserError } from '../../../core/errors.js';
import type { Placed } from '../../../feeders/transcripts/present.js';
import type { Fed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/sanitiser.js';
import type { SessionFlags } from '../../programs/session.js';
import { isNarrowed, sinceOf } from './run.js';
import { feedTranscripts } from './transcripts.js';

const COMMAND = 'mempalace-session';

/**
 * Files the transcripts of a program other than opencode.
 *
 * @param part one of several agents
 * @throws UserError `not-found` for its folder
 */
export async function feedHarness(
  { harness, places, folders }: Placed,
  flags: SessionFlags,
  context: CommandContext,
  part = false,
): Promise<Fed> {
  const { name: from, label } = harness;
  const { minMessages, wing, redact } = flags;
  if (folders.length === 0)
    throw new UserError(
      'not-found',
      `no sessions of ${label} found: there is no folder ${places.join(', ')}`,
    );
  const shown = await Promise.all(folders.map((folder) => shownPath(folder, redact, context)));
  const [folder] = shown;
  const more = shown.length > 1 ? { folders: shown } : { folder };
  const scope = JSON.stringify({ from, ...more, minMessages, wing: wing ?? null, redact });
  return feedTranscripts(
    (palace) => ({
      places: folders.map((each) => ({ folder: each, harness })),
      since: sinceOf(flags, scope, palace, context),
      minMessages,
      wing,
      room: undefined,
    }),
    { command: COMMAND, scope, narrowed: isNarrowed(flags), flags, part },
    context,
  );
}
