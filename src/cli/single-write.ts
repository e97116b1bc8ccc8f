import type { Palace } from '../store/index.js';
import { filingModel } from './palace-model.js';
import type { Session } from './perform.js';

/**
 * Runs `work` with the palace opened for one short write, beside any run and without its lock.
 *
 * @param make a palace is made where there is none; else it must be there
 * @throws UserError `not-found`, and as `filingModel` does
 */
export async function writingOnce<T>(
  folder: string,
  session: Session,
  { make }: { make: boolean },
  work: (palace: Palace) => Promise<T>,
): Promise<T> {
  const { Palace } = await import('../store/index.js');
  const model = make
    ? await filingModel(folder, session)
    : Palace.look(folder, (palace) => ({ ...palace.model }));
  const palace = Palace.write(folder, model);
  try {
    return await work(palace);
  } finally {
    palace.close();
  }
}
