import { UserError } from '../../core/errors.js';

/** What a client that is confined to a wing may not ask for. It says the same whether the rest of the palace has it or not. */
export class OutsideWing extends UserError {
  /** @param reason a sentence without its full stop */
  constructor(wing: string, reason: string, hint = 'a token without --wing may ask for it') {
    super('usage', `${reason}; this client is confined to the wing ${wing}`, { hint });
  }
}

/** The wing of a request. @throws OutsideWing if it names another one */
export function ownWing(named: string | undefined, wing: string): string {
  if (named === undefined || named.normalize('NFC') === wing) return wing;
  throw new OutsideWing(wing, 'the request names another wing', `leave the wing out, or name ${wing}`);
}
