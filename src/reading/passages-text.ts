import { costOf } from '../core/fitted-lines.js';
import { QUARTERS } from '../core/tokens.js';
import { fittedMemory, type Memory } from './wake-up-text.js';

/** The most that is told with a prompt, tokens. */
const MOST_TOLD = 600;

const HEADING = '## about this prompt, found by search';
const READ_ON = 'read on: mempalace show <drawer id>';

/**
 * Passages for an agent, best first, in the frame of wake-up: at most `tokens`, divided evenly among them. Texts that do not fit are
 * cut, with a mark. Empty if none fits.
 */
export function passagesText(notice: string, passages: readonly Memory[], tokens = MOST_TOLD): string {
  const [above, below] = [
    [notice, '', HEADING],
    ['', READ_ON],
  ];
  let left = tokens * QUARTERS - costOf([...above, ...below]);
  const told = passages.flatMap((passage, at) => {
    const lines = fittedMemory(passage, left / (passages.length - at), false)?.lines ?? [];
    left -= costOf(lines);
    return lines;
  });
  return told.length === 0 ? '' : [...above, ...told, ...below].map((line) => `${line}\n`).join('');
}
