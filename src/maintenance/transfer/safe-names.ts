/** Names that Windows keeps for devices, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Leaves room for a number, an extension and a temporary suffix in the 255 bytes of most file systems. */
const MOST_BYTES = 150;

/**
 * A name that every file system takes as one: no separator, no control character, nothing that a shell of Windows
 * refuses, not hidden, not too long. What is left of nothing is `_`.
 */
export function safeName(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '_');
  let name = '';
  let bytes = 0;
  for (const character of clean) {
    bytes += Buffer.byteLength(character);
    if (bytes > MOST_BYTES) break;
    name += character;
  }
  name = name.replace(/[. ]+$/, '');
  if (name === '') return '_';
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Two names that some file system takes for one have the same. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
