import type { Duplex } from 'node:stream';
import { Lines } from '../../platform/lines.js';
import type { Link } from './messages.js';

/** Longest message, bytes: longer than any text that a tool accepts. */
const LONGEST = 64 * 1024 * 1024;

/**
 * One JSON message per line. What is no JSON, or too long, ends the connection.
 *
 * @param options.patient nothing is read while the other end does not read: its questions wait as its answers do. At one
 *   of the two ends only, as both could wait for each other
 */
export function linesOver<Out, In>(stream: Duplex, { patient = false } = {}): Link<Out, In> {
  return {
    send(message) {
      if (stream.destroyed || stream.writableEnded) return;
      const isTaken = stream.write(`${JSON.stringify(message)}\n`);
      if (isTaken || !patient || stream.isPaused()) return;
      stream.pause();
      stream.once('drain', () => stream.resume());
    },
    listen(onMessage, onEnd) {
      let reason: Error | undefined;
      const lines = new Lines(LONGEST, (text) => {
        if (text === undefined) throw new Error('a message is too long');
        onMessage(JSON.parse(text) as In);
      });
      stream.on('data', (bytes: Buffer) => {
        try {
          lines.take(bytes);
        } catch (error) {
          stream.destroy(error instanceof Error ? error : undefined);
        }
      });
      stream.on('error', (error) => {
        reason = error;
      });
      stream.once('end', () => stream.end());
      if (stream.closed) onEnd();
      else stream.once('close', () => onEnd(reason));
    },
    close: () => stream.end(),
  };
}
