import { UserError } from '../../core/errors.js';
import { EXIT } from './exit.js';

/**
 * The first SIGINT or SIGTERM asks the work to stop in order; a second one ends the process.
 *
 * @param onFirst called on the first one, before the work is aborted
 */
export function catchSignals(onFirst: () => void): {
  signal: AbortSignal;
  dispose: () => void;
  received: () => NodeJS.Signals | undefined;
} {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    if (received !== undefined) process.exit(name === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted);
    received = name;
    onFirst();
    controller.abort(
      new UserError('interrupted', 'interrupted', {
        hint: 'everything done so far is kept; run the command again to continue',
      }),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    received: () => received,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
