import { existsSync } from 'node:fs';
import { claimPalace } from '../../platform/writers.js';
import {
  formatModel,
  type ModelIdentity,
  Palace,
  type RunStart,
  SCHEMA_VERSION,
  SHORT_WRITE,
  sameModel,
} from '../../store/index.js';
import { refuseForeignBroker } from './foreign-broker.js';
import { filingModel, palaceModel } from './palace-model.js';
import type { CommandContext } from './runner.js';
import { VERSION } from './version.js';

/** Attempts to open a palace whose model changes at the same time. */
const ATTEMPTS = 5;

/**
 * Runs `work` with the palace opened for one short write. It may run next to another run and does not take the lock.
 *
 * @param options.make creates a missing palace
 * @param options.program named to writers that wait on another machine
 * @throws UserError `not-found`, and as `claimPalace` and `filingModel` do
 */
export async function writingOnce<T>(
  folder: string,
  context: CommandContext,
  { make, program }: { make: boolean; program: string },
  work: (palace: Palace) => Promise<T>,
): Promise<T> {
  await refuseForeignBroker(folder);
  // A missing folder is made with the palace, after its model was loaded.
  const claim = existsSync(folder)
    ? await claimPalace(folder, { program, signal: context.signal })
    : undefined;
  try {
    // While a restore runs, a client that asks again does not open the palace each time.
    claim?.check();
    const palace = await opened(folder, context, make);
    try {
      return await work(palace);
    } finally {
      palace.close();
    }
  } finally {
    claim?.release();
  }
}

/** Without the run lock another program may change the palace's model before it is opened. */
async function opened(folder: string, context: CommandContext, make: boolean): Promise<Palace> {
  for (let attempt = 1; ; attempt += 1) {
    const model: ModelIdentity = make
      ? await filingModel(folder, context)
      : Palace.look(folder, (palace) => palace.model);
    try {
      return Palace.write(folder, model);
    } catch (error) {
      const now = await palaceModel(folder);
      if (now === undefined || sameModel(now, model) || attempt === ATTEMPTS) throw error;
    }
  }
}

export function versionsOf(model: ModelIdentity): Record<string, string> {
  return { toolkit: VERSION, schema: String(SCHEMA_VERSION), model: formatModel(model) };
}

/** The record of a change other than filing. It names no source, since it stays when a source is forgotten. */
export function besideRun(command: string, model: ModelIdentity, startedMs: number): RunStart {
  return { command, scope: SHORT_WRITE, narrowed: true, versions: versionsOf(model), startedMs };
}
