import { checked, operationNamed } from '../../operations/index.js';
import type { PalaceService } from '../contract/index.js';
import { OutsideWing } from '../contract/outside.js';

/**
 * A palace of which one wing exists: what is elsewhere is neither found, read, listed nor changed, and errors say the same as
 * where it does not exist. Scores weigh words by the whole palace (SECURITY.md).
 *
 * @param wing in NFC
 * @returns a service that throws `OutsideWing` for what concerns more than the wing
 */
export function confinedTo(wing: string, palace: PalaceService): PalaceService {
  return {
    async ask(asked, input, call) {
      const operation = await operationNamed(asked.name);
      const { inWing } = operation;
      if (typeof inWing === 'string') throw new OutsideWing(wing, inWing);
      const answer = await palace.ask(asked, inWing(checked(operation, input), wing), call);
      requireOwn(answer, wing);
      return answer;
    },
  };
}

/**
 * The last check, whatever the operation and the palace have done.
 *
 * @throws Error, a bug, if an answer contains something of another wing
 */
function requireOwn(answer: unknown, wing: string): void {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'wing' && value !== undefined && value !== wing)
      throw new Error('the answer contains something of another wing');
    requireOwn(value, wing);
  }
}
