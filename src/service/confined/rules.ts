import type { Input, Method } from '../contract/index.js';
import { OutsideWing, ownWing } from '../contract/outside.js';

/** How a method is confined to a wing. */
export type Rule<M extends Method> =
  /** Why it cannot be, as a sentence without its full stop. */
  | { readonly refused: string }
  | {
      /** What the palace is asked instead. @throws OutsideWing */
      readonly ask: (input: Input<M>, wing: string) => Input<M>;
    };

const within = <T extends { within?: string | undefined }>(input: T, wing: string): T => ({
  ...input,
  within: wing,
});
/** Cold rooms of the wing. To name a cold wing is to ask for it. */
const coldRooms = (without: Input<'wakeUp'>['without'], wing: string) =>
  without.filter((cold) => cold.wing === wing && cold.room !== undefined);

const COUNTS = { refused: 'this counts the whole palace' };
const RECEIVING = { refused: 'machines that file into the palace reach all of it' };

/** One rule per method. A new method has none, and does not compile, until it is decided here. */
export const RULES: { readonly [M in Method]: Rule<M> } = {
  show: { ask: within },
  text: { ask: within },
  wakeUp: { ask: waking },
  drift: { refused: 'this checks the whole palace' },
  readiness: COUNTS,
  pulse: COUNTS,
  embed: { refused: 'only programs of this machine borrow the model' },
  filedSources: RECEIVING,
  announceSources: RECEIVING,
  receiveText: RECEIVING,
  fileReceived: RECEIVING,
  reopen: { refused: 'this opens the whole palace' },
};

function waking(input: Input<'wakeUp'>, wing: string): Input<'wakeUp'> {
  const { wing: named, around, without, ...rest } = input;
  if (around !== undefined && around.folders.length > 0)
    throw new OutsideWing(wing, 'a folder is compared with all projects', 'leave the folder out');
  return {
    ...rest,
    within: ownWing(named, wing),
    without: coldRooms(without, wing),
    // What the user wrote about himself, and errors of sessions wherever they are filed.
    identity: undefined,
    patterns: false,
  };
}
