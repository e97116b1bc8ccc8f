import { Writable } from 'node:stream';
import { takesPromptContext } from '../../../hooks/protocol.js';
import { noteOf, putNote, wasPrompted } from '../../../hooks/sessions.js';
import { resolveFolders } from '../../../platform/folders.js';
import { MEASURED_MODEL, promptAsked, promptText, questionIn } from '../../../presentation/prompt.js';
import { palaceExists } from '../../../store/index.js';
import { withService } from '../../app/open-service.js';
import { Terminal } from '../../terminal/terminal.js';
import type { Starting } from './resume.js';

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
  if (!palaceExists(palace) || wasPrompted(palace, name)) return '';
  const note = noteOf(palace, name);
  putNote(palace, { ...note, transcript: transcript ?? note.transcript, prompted: true });
  const { env, stdin } = process;
  const silent = new Writable({ write: (_, __, done) => done() });
  const terminal = new Terminal(
    { stdin, stdout: silent, stderr: silent, env },
    { json: false, quiet: true, verbose: false, color: false },
  );
  const signal = AbortSignal.timeout(SEARCH_MS);
  const folders = resolveFolders(env, palace);
  return withService(
    { terminal, env, folders, signal, config },
    async (service, call) => {
      const { model } = await service.status({ runs: 0, shortWrites: false }, call);
      if (model.id !== MEASURED_MODEL) return '';
      return promptText(await service.find(promptAsked(config, question, cwd), call));
    },
    { warns: false, upgrades: false },
  );
}
