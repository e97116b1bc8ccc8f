import type { ModelIdentity, Palace } from '../../store/index.js';
import { filingModel, palaceModel } from './palace-model.js';
import type { CommandContext } from './runner.js';

/** Attempts to open a palace whose model changes at the same time. */
const ATTEMPTS = 5;

/**
 * Runs `work` with the palace opened for one short write. It may run next to another run and does not take the lock.
 *
 * @param make creates a missing palace
 * @throws UserError `not-found`, and as `filingModel` does
 */
export async function writingOnce<T>(
  folder: string,
  context: CommandContext,
  { make }: { make: boolean },
  work: (palace: Palace) => Promise<T>,
): Promise<T> {
  const palace = await opened(folder, context, make);
  try {
    return await work(palace);
  } finally {
    palace.close();
  }
}

/** Without the run lock another program may change the palace's model before it is opened. */
async function opened(folder: string, context: CommandContext, make: boolean): Promise<Palace> {
  const { Palace, sameModel } = await import('../../store/index.js');
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
