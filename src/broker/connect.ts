import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Hello, lineOf, type Reply, readFirstLine, readReply } from './hello.js';

/** A connection whose broker has answered. Its stream is paused. */
export interface Connection {
  stream: Duplex;
  reply: Extract<Reply, { ok: true }>;
}

/** Why there is no connection: nobody listens, nobody answers, or the broker refuses the client. */
export type Missing = { why: 'absent' | 'silent' } | { why: 'refused'; reason: string };

/** Time for a broker to answer. */
export const ANSWER_MS = 3_000;
/** Longest answer to a hello, bytes. That to `status` names each watched path. */
const LONGEST_REPLY = 16 * 1024 * 1024;

/**
 * Connects to the socket of a broker and opens the conversation. `patienceMs` is for connection and answer together.
 */
export function connect(path: string, hello: Hello, patienceMs: number): Promise<Connection | Missing> {
  return greetOver(createConnection({ path }), hello, patienceMs);
}

/** The same over a stream to a broker, such as that of ssh. The stream is destroyed if the broker does not accept. */
export function greetOver(socket: Duplex, hello: Hello, patienceMs: number): Promise<Connection | Missing> {
  return new Promise((resolve) => {
    const settle = (result: Connection | Missing): void => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('end');
      socket.pause();
      if ('why' in result) socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle({ why: 'silent' }), patienceMs);
    // Stays: a later error of the connection ends it, which its owner notices.
    socket.on('error', () => settle({ why: 'absent' }));
    socket.write(lineOf(hello));
    // A broker that just ends answers no hello.
    socket.on('end', () => settle({ why: 'absent' }));
    socket.on('close', () => settle({ why: 'absent' }));
    readFirstLine(socket, LONGEST_REPLY, (line) => {
      const reply = line === undefined ? undefined : readReply(line);
      if (reply === undefined) settle({ why: 'silent' });
      else settle(reply.ok ? { stream: socket, reply } : { why: 'refused', reason: reply.reason });
    });
  });
}

/** Asks a broker about itself, to stop, or to make room; undefined if it does not answer, or refuses. */
export async function tell(path: string, hello: Hello) {
  const answer = await connect(path, hello, ANSWER_MS);
  if ('why' in answer) return undefined;
  answer.stream.destroy();
  return answer.reply;
}
