/** Device names of Windows, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Most file systems allow 255 bytes; the rest is for a number, an extension and a temporary suffix. */
const MAX_BYTES = 150;

/**
 * A file name that is valid on every file system: no separator, control character or character that Windows refuses;
 * not hidden, not too long, never empty.
 */
export function safeName(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '_');
  const start = Buffer.from(clean).subarray(0, MAX_BYTES);
  // `stream` leaves out a character that was cut off.
  const name = new TextDecoder().decode(start, { stream: true }).replace(/[. ]+$/, '');
  if (name === '') return '_';
  return DEVICE.test(name) ? `_${name}` : name;
}

/** The same for two names that some file system treats as equal. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
