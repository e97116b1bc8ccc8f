import { isAbsolutePath, plainPath } from '../../core/file-path.js';
import { typeName } from '../../core/source-type.js';
import type { Input, Method, Output } from '../contract/index.js';
import { OutsideWing, ownWing } from '../contract/outside.js';

/** How a method is confined to a wing. */
export type Rule<M extends Method> =
  /** Why it cannot be, as a sentence without its full stop. */
  | { readonly refused: string }
  | {
      /** What the palace is asked instead. @throws OutsideWing */
      readonly ask: (input: Input<M>, wing: string) => Input<M>;
      /** What stays of the answer; default: all. */
      readonly keep?: (answer: Output<M>, wing: string) => Output<M>;
    };

const within = <T extends { within?: string | undefined }>(input: T, wing: string): T => ({
  ...input,
  within: wing,
});
const inWing = <T extends { wing?: string | undefined }>(input: T, wing: string): T => ({
  ...input,
  wing: ownWing(input.wing, wing),
});
const only = <T extends { wing: string }>(all: readonly T[], wing: string): T[] =>
  all.filter((each) => each.wing === wing);
/** Cold rooms of the wing. To name a cold wing is to ask for it. */
const coldRooms = (without: Input<'wakeUp'>['without'], wing: string) =>
  only(without, wing).filter(({ room }) => room !== undefined);

const COLLECTIONS = { refused: 'collections belong to the whole palace' };
const COUNTS = { refused: 'this counts the whole palace' };
const RECEIVING = { refused: 'machines that file into the palace reach all of it' };

/** One rule per method. A new method has none, and does not compile, until it is decided here. */
export const RULES: { readonly [M in Method]: Rule<M> } = {
  find: { ask: asked, keep: found },
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
  collectionDrawers: COLLECTIONS,
  findInCollection: COLLECTIONS,
};

function asked(input: Input<'find'>, wing: string): Input<'find'> {
  const { filter, around } = input;
  // An absolute path would tell whether it is in the folder of a project, of whatever wing.
  if (filter.file !== undefined && isAbsolutePath(plainPath(filter.file)))
    throw new OutsideWing(wing, 'an absolute path is compared with all projects', 'give the end of the path');
  const without = coldRooms(filter.without ?? [], wing);
  return {
    ...input,
    filter: { ...inWing(filter, wing), without },
    // Without the names of projects, also in an error.
    around: { scope: around.scope, folders: [], locations: [] },
  };
}

function found(answer: Output<'find'>, wing: string): Output<'find'> {
  const { filter, rooms, types } = answer;
  return {
    ...answer,
    // Numbers of the whole palace.
    coverage: undefined,
    rooms: rooms && only(rooms, wing),
    // Which types other wings declare is not told: a type passes for known.
    types: types && (filter.type === undefined ? [] : [typeName(filter.type)]),
  };
}

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
