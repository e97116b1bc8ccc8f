/** What is asked for a client of one wing: the rest of the palace does not exist for it. */
import { ownWing } from '../service/contract/outside.js';

/** Of an input with `within`. */
export const inItself = <Input extends { within?: string | undefined }>(
  input: Input,
  wing: string,
): Input => ({ ...input, within: wing });

/** Of an input that may name a wing. @throws OutsideWing if it names another one */
export const inItsOwn = <Input extends { wing?: string | undefined }>(input: Input, wing: string): Input => ({
  ...input,
  wing: ownWing(input.wing, wing),
});
