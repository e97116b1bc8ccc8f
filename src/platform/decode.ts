import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';

export interface Decoded {
  /** Without the byte order mark; line ends are unchanged. */
  text: string;
  /** A label that `TextDecoder` knows. */
  encoding: string;
}

/** Below this confidence, windows-1252 is the better guess: most such files are Western European. */
const SURE_ENOUGH = 30;
/** Bytes for chardet, from the first that is not ASCII: its time grows with the length. */
const SAMPLE = 64 * 1024;
/** Characters that text does not contain: controls other than white space and escape, and noncharacters. */
const CONTROLS = /[\x00-\x08\x0e-\x1a\x1c-\x1f\ufdd0-\ufdef\ufffe\uffff]/;

/**
 * Decodes a text file, trying in order: byte order marks, UTF-16 without a mark, UTF-8, UTF-8 with some broken bytes
 * (which become U+FFFD), chardet, and windows-1252, which accepts any bytes. The caller judges whether the bytes are text.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const marked = markedEncoding(bytes) ?? bareUtf16(bytes);
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes), encoding: marked };
  if (isUtf8(bytes)) {
    // Several times faster than a TextDecoder, for nearly every file.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return { text, encoding: 'utf-8' };
  }
  if (isDamagedUtf8(bytes)) return { text: new TextDecoder('utf-8').decode(bytes), encoding: 'utf-8' };
  return decodeLegacy(bytes);
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return undefined;
}

/**
 * UTF-16 without a mark. Latin text has a zero in every other byte; other scripts have zeros mostly in the
 * high bytes of blanks and line ends, and read as UTF-8 they are broken or full of control characters.
 */
function bareUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0 || !bytes.includes(0)) return undefined;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i < bytes.length; i += 2) {
    if (bytes[i] === 0) evenZeros += 1;
    if (bytes[i + 1] === 0) oddZeros += 1;
  }
  if (evenZeros === oddZeros) return undefined;
  const encoding = oddZeros > evenZeros ? 'utf-16le' : 'utf-16be';
  const latin = Math.abs(evenZeros - oddZeros) / (bytes.length / 2) >= 0.4;
  const asUtf8 = latin ? undefined : decodeStrictly(bytes, 'utf-8');
  if (asUtf8 !== undefined && !CONTROLS.test(asUtf8.replaceAll('\0', ''))) return undefined;
  const text = decodeStrictly(bytes, encoding);
  return text === undefined || CONTROLS.test(text) ? undefined : encoding;
}

/** More valid multi-byte sequences than broken bytes: other encodings rarely look like UTF-8 by chance. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes);
  let broken = 0;
  let sound = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f && (code < 0xdc00 || code > 0xdfff)) sound += 1;
  }
  return sound > broken;
}

function decodeLegacy(bytes: Uint8Array): Decoded {
  // Loaded on demand: loading takes longer than decoding a thousand files.
  const chardet: typeof import('chardet') = createRequire(import.meta.url)('chardet');
  const start = bytes.findIndex((byte) => byte > 0x7f);
  const sample = bytes.subarray(Math.max(0, start - 1024), start + SAMPLE);
  for (const { name, confidence } of chardet.analyse(sample)) {
    if (confidence < SURE_ENOUGH) break;
    const text = decodeStrictly(bytes, name);
    if (text !== undefined) return { text, encoding: name.toLowerCase() };
  }
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
}

/** Undefined when the bytes are not valid in this encoding, or Node does not support it. */
function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
