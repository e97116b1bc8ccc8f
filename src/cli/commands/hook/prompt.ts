import { namesBroker } from '../../../config/index.js';
import { takesPromptContext } from '../../../hooks/protocol.js';
import { noteOf, putNote, wasPrompted } from '../../../hooks/sessions.js';
import type { Status } from '../../../operations/listing/status.js';
import { MEASURED_MODEL, promptFound, promptText, questionIn } from '../../../operations/search/prompt.js';
import { palaceExists } from '../../../store/index.js';
import { withService } from '../../app/open-service.js';
import type { Starting } from './context.js';
import { silentContext } from './there.js';

/** The user waits for the search, milliseconds. A broker that does not answer takes as long. */
const SEARCH_MS = 3_000;

/**
 * The passages that answer the first prompt of a session; empty for later prompts, and if no passage is good enough. A search that
 * fails is not repeated.
 *
 * @throws UserError as `find` does, and where the palace is of an earlier version
 */
export async function promptContext({ palace, harness, input, config }: Starting): Promise<string> {
  const { sessionId, cwd, transcript } = input;
  const question = questionIn(input.prompt);
  if (sessionId === undefined || question === undefined || !takesPromptContext(harness)) return '';
  const name = { harness, sessionId, cwd };
  if ((!namesBroker(config) && !palaceExists(palace)) || wasPrompted(palace, name)) return '';
  const note = noteOf(palace, name);
  putNote(palace, { ...note, transcript: transcript ?? note.transcript, prompted: true });
  return withService(
    silentContext(palace, config, AbortSignal.timeout(SEARCH_MS)),
    async (service, call) => {
      const status = await service.ask({ name: 'status', reads: true }, { runs: 0 }, call);
      const { model } = status as Pick<Status, 'model'>;
      if (model.id !== MEASURED_MODEL) return '';
      return promptText(await promptFound(service, config, { question, folder: cwd }, call));
    },
    { warns: false, upgrades: false },
  );
}
