/** What a request shows before its body is read. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** On whose behalf a request is answered. */
export interface Client {
  /** The agent that writes. */
  name: string;
  readOnly: boolean;
  /** The only one that exists for it; absent: the whole palace. */
  wing?: string | undefined;
}

/** Finds the client of a request by its head alone. A response refuses the request, or answers what needs no client. */
export type Authenticate = (head: Head) => Client | Response;

/** Answers without a token, and says nothing about the palace. */
const HEALTH_PATH = '/healthz';

/**
 * Accepts the clients that have a token. Where `clientOf` throws (the tokens cannot be read), every client is
 * refused.
 */
export function byToken(clientOf: (token: string) => Client | undefined): Authenticate {
  return ({ path, headers }) => {
    if (path === HEALTH_PATH) return Response.json({ ok: true });
    const [, token] = /^Bearer ([^\s]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
    const client = token === undefined ? undefined : clientOf(token);
    return (
      client ??
      Response.json(
        { error: 'invalid_token' },
        { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      )
    );
  };
}
