import { UserError } from './errors.js';

/** A text that the user had forgotten was to be filed again. */
export function forgottenError(): UserError {
  return new UserError('failed', 'not filed: forgotten', {
    hint: 'its owner asked to forget it; mempalace forget --allow-again undoes that',
  });
}

/** How the user names what is to be forgotten: by one of the first four. */
export interface Forgettable {
  /** A key, a `source_file` or the end of one, an origin, or a session. */
  source?: string | undefined;
  session?: string | undefined;
  wing?: string | undefined;
  /** Everything that this run filed last. */
  run?: number | undefined;
  /** Further names for the source. */
  paths?: string[];
}

export interface ForgetRequest extends Forgettable {
  /** Kept backups that contain it, and damaged palaces, are removed, not rewritten. */
  backups: boolean;
  /** The id of a preview; undefined: whatever matches now. */
  preview?: string | undefined;
}
