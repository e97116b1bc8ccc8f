import { Palace, palaceExists } from '../../../store/index.js';

/** Readers do not wait for runs, and an agent should not wait for any other lock. */
const PALACE_MS = 250;

/**
 * What `work` finds in the palace, as it is; undefined if there is no palace.
 *
 * @throws UserError as `Palace.read` does
 */
export function look<T>(folder: string, work: (palace: Palace) => T): T | undefined {
  if (!palaceExists(folder)) return undefined;
  const palace = Palace.read(folder, { waitMs: PALACE_MS, migrate: false });
  try {
    return work(palace);
  } finally {
    palace.close();
  }
}
