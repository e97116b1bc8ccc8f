/** What a request shows before its body is read. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** On whose behalf a request is answered. */
export interface Guest {
  /** The agent that writes. */
  name: string;
  readOnly: boolean;
  /** The only one that exists for it; absent: the whole palace. */
  wing?: string | undefined;
}

/** Decides who is let in, by the head of a request alone. An answer is for those who are not, or need not be. */
export type Door = (head: Head) => Guest | Response;

/** Answers without a token, and says nothing about the palace. */
const HEALTH_PATH = '/healthz';

/**
 * Lets in who has a token.
 *
 * @param guestOf throws where the tokens cannot be read: then nobody is let in
 */
export function tokenDoor(guestOf: (token: string) => Guest | undefined): Door {
  return ({ path, headers }) => {
    if (path === HEALTH_PATH) return Response.json({ ok: true });
    const [, token] = /^Bearer ([^\s]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
    const guest = token === undefined ? undefined : guestOf(token);
    return (
      guest ??
      Response.json(
        { error: 'invalid_token' },
        { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      )
    );
  };
}
