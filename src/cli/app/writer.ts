import { UserError } from '../../core/errors.js';
import type { Writer } from '../../service/palace/resources.js';
import { underRunLock } from './run-lock.js';
import type { CommandContext } from './runner.js';
import { sanitiserFor } from './sanitiser.js';
import { besideRun, writingOnce } from './single-write.js';

/** Writes as this program does: into the configured palace, through the configured sanitiser. @param make creates a missing palace */
export function writer(context: CommandContext, make: boolean): Writer {
  const folder = context.folders.palace;
  return {
    sanitiser: (redact = true) => sanitiserFor(redact, context),
    write: (through, work) =>
      writingOnce(folder, context, { make, program: through }, (palace) =>
        work(palace, besideRun(through, palace.model, Date.now())),
      ),
    forget: async (asked, { waitMs, signal }) =>
      (await import('./forgetting.js')).forgetInRun(asked, waitMs, { ...context, signal }),
    fileReceived: async (upload, asked, { waitMs, signal }) => {
      const { fileReceived, putAsked } = await import('./receiving.js');
      putAsked(upload, asked);
      return fileReceived(upload, waitMs, { ...context, signal });
    },
    async clearTraces(signal) {
      const lock = { command: 'mempalace', waitMs: 0 };
      try {
        return await underRunLock(folder, lock, { ...context, signal }, () =>
          writingOnce(folder, context, { make, program: lock.command }, async (palace) =>
            palace.clearTraces(),
          ),
        );
      } catch (error) {
        if (error instanceof UserError && error.code === 'locked') return false;
        throw error;
      }
    },
  };
}
