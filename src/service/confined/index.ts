import { checked, operationNamed } from '../../operations/index.js';
import {
  type Answer,
  type Asked,
  callMethod,
  type Input,
  isMethod,
  METHODS,
  type Method,
  type Output,
  type PalaceService,
  type ServiceCall,
} from '../contract/index.js';
import { OutsideWing } from '../contract/outside.js';
import { RULES, type Rule } from './rules.js';

/**
 * A palace of which one wing exists: what is elsewhere is neither found, read, listed nor changed, and errors say the same as
 * where it does not exist. Scores weigh words by the whole palace (SECURITY.md).
 *
 * @param wing in NFC
 * @returns a service whose methods throw `OutsideWing` for what concerns more than the wing
 */
export function confinedTo(wing: string, palace: PalaceService): PalaceService {
  const entries = Object.keys(METHODS)
    .filter(isMethod)
    .map((method) => [
      method,
      (input: Input<typeof method>, call: ServiceCall) => confined(method, palace, wing, input, call),
    ]);
  const ask: PalaceService['ask'] = (...given) => askConfined(palace, wing, ...given);
  return { ...Object.fromEntries(entries), ask } as PalaceService;
}

async function askConfined(
  palace: PalaceService,
  wing: string,
  asked: Asked,
  input: unknown,
  call: ServiceCall,
): Promise<Answer> {
  const operation = await operationNamed(asked.name);
  const { inWing } = operation;
  if (typeof inWing === 'string') throw new OutsideWing(wing, inWing);
  const answer = await palace.ask(asked, inWing(checked(operation, input), wing), call);
  requireOwn(answer, wing);
  return answer;
}

async function confined<M extends Method>(
  method: M,
  palace: PalaceService,
  wing: string,
  input: Input<M>,
  call: ServiceCall,
): Promise<Output<M>> {
  const rule: Rule<M> = RULES[method];
  if ('refused' in rule) throw new OutsideWing(wing, rule.refused);
  const answer = (await callMethod(palace, { name: method }, rule.ask(input, wing), call)) as Output<M>;
  requireOwn(answer, wing);
  return answer;
}

/**
 * The last check, whatever rule and palace have done.
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
