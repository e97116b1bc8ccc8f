import { messageOf, UserError } from '../../core/errors.js';
import type { PalaceService } from '../contract/index.js';
import type { Link, Request, Response } from './messages.js';

export interface Serving {
  /** An error of the environment (full disk, incomplete installation) as a `UserError`; undefined for a bug. */
  known?: (error: unknown) => UserError | undefined;
}

/**
 * The service's end of a connection. Loads no schemas.
 *
 * @param read undefined for what is no request: it ends the connection
 */
export function serveOver<Message>(
  link: Link<Response, Message>,
  service: PalaceService,
  read: (message: Message) => Request | undefined,
  { known = () => undefined }: Serving = {},
): Promise<void> {
  const calls = new Map<number, AbortController>();
  const answer = async (message: Message): Promise<void> => {
    const request = read(message);
    if (request === undefined) return link.close();
    if ('cancel' in request) {
      calls.get(request.cancel)?.abort(new UserError('interrupted', 'the call was cancelled'));
      return;
    }
    const { id, input, by, ...asked } = request;
    const call = new AbortController();
    calls.set(id, call);
    try {
      const result = await service.ask(asked, input, { ...by, signal: call.signal });
      if (!call.signal.aborted) link.send({ id, result });
    } catch (error) {
      if (!call.signal.aborted) link.send({ id, ...problemOf(known(error) ?? error) });
    } finally {
      calls.delete(id);
    }
  };
  return new Promise((resolve) => {
    link.listen(
      (message) => void answer(message),
      () => {
        for (const call of calls.values()) call.abort(new UserError('interrupted', 'the client has gone'));
        resolve();
      },
    );
  });
}

function problemOf(error: unknown) {
  if (error instanceof UserError) {
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { bug: { message: messageOf(error), stack } };
}
