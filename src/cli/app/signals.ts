import { UserError } from '../../core/errors.js';
import { EXIT } from './exit.js';

/**
 * The first SIGINT or SIGTERM asks the work to stop in order; a second one ends at once.
 *
 * @param onFirst called on the first one, before the work hears of it
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
        hint: 'what was filed stays; run the command again to go on',
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
