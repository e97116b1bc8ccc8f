import type { MessagePort, Worker } from 'node:worker_threads';
import type { Link } from './messages.js';

/** Messages between threads, as they are. */
export function portLink<Out, In>(port: MessagePort | Worker): Link<Out, In> {
  return {
    send: (message) => port.postMessage(message),
    listen(onMessage, onEnd) {
      let reason: Error | undefined;
      port.on('message', onMessage);
      port.on('error', (error: Error) => {
        reason = error;
      });
      // A thread has the one event, a port the other.
      port.on('exit', () => onEnd(reason));
      port.on('close', () => onEnd(reason));
    },
    close: () => {
      if ('close' in port) port.close();
    },
  };
}
