import type { Duplex } from 'node:stream';
import { UserError } from '../../core/errors.js';
import { type Asked, type PalaceService, serviceFrom } from '../contract/index.js';
import { linesOver } from './lines.js';
import type { Link, Request, Response } from './messages.js';

/** A service at the other end of a connection. */
export type ConnectedService = PalaceService & {
  /** Ends the connection; calls that run are rejected. */
  close(): Promise<void>;
};

/** The connection ended before the answer came. A write may have been done. */
export class Disconnected extends UserError {
  constructor(
    readonly asked: Asked,
    cause?: unknown,
  ) {
    super('failed', 'the connection to the palace ended before the answer came', {
      hint: asked.reads === true ? 'ask again' : 'it may have been done: look before you repeat it',
      cause,
    });
  }
}

/**
 * The service at the other end of a stream, which must have passed all that comes before it, such as a greeting. Closing
 * the service ends the stream.
 */
export function connectService(stream: Duplex): ConnectedService {
  return clientOver(linesOver<Request, Response>(stream));
}

/**
 * The client's end of a connection. It believes the answers, which come from the same version of this program over a private
 * connection: a command would load the schemas to parse them.
 */
export function clientOver(link: Link<Request, Response>): ConnectedService {
  const calls = new Map<number, { asked: Asked; settle: (answer: Response | Error) => void }>();
  let last = 0;
  let ended: { reason: Error | undefined } | undefined;
  const end = (reason?: Error): void => {
    ended ??= { reason };
    for (const { asked, settle } of calls.values()) settle(new Disconnected(asked, reason));
  };
  link.listen((answer) => calls.get(answer.id)?.settle(answer), end);
  const service = serviceFrom((asked, input, { signal, agent, through, waitMs }) => {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (ended !== undefined) return Promise.reject(new Disconnected(asked, ended.reason));
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        link.send({ cancel: id });
        done();
        reject(signal.reason);
      };
      const done = (): void => {
        calls.delete(id);
        signal.removeEventListener('abort', cancel);
      };
      signal.addEventListener('abort', cancel, { once: true });
      calls.set(id, {
        asked,
        settle(answer) {
          done();
          if (answer instanceof Error) reject(answer);
          else if ('result' in answer) resolve(answer.result);
          else reject(errorOf(answer));
        },
      });
      link.send({ id, ...asked, input, by: { agent, through, waitMs } });
    });
  });
  return {
    ...service,
    async close() {
      link.close();
      end();
    },
  };
}

function errorOf(answer: Exclude<Response, { result: unknown }>): Error {
  if ('error' in answer) {
    const { code, message, hint } = answer.error;
    return new UserError(code, message, { hint });
  }
  const error = new Error(answer.bug.message);
  // Where it happened: in the other process.
  if (answer.bug.stack !== undefined) error.stack = answer.bug.stack;
  return error;
}
