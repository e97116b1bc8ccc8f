import { WING_BYTES } from '../../core/wing.js';

/** `wing_<name>` in lower case, with `_` for everything but letters, digits and `_`; cut where it is too long. */
export function defaultWing(directoryName: string): string {
  const cleaned = directoryName
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]/gu, '_');
  let wing = 'wing_';
  let length = wing.length;
  for (const character of cleaned) {
    length += 1;
    if (length > 128 || Buffer.byteLength(wing) + Buffer.byteLength(character) > WING_BYTES) break;
    wing += character;
  }
  return wing;
}
