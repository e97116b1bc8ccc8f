import { breather } from '../../platform/breather.js';

/** Texts are written together until they have so many characters. */
const PIECE_CHARS = 64 * 1024;

/**
 * The same text in fewer pieces, each at hand for a moment only.
 *
 * @param onChars gets how many characters were taken so far, before each piece
 */
export async function* inPieces(
  texts: AsyncIterable<string> | Iterable<string>,
  signal?: AbortSignal,
  onChars: (chars: number) => void = () => {},
): AsyncGenerator<string> {
  const breathe = breather();
  let piece = '';
  let taken = 0;
  for await (const text of texts) {
    signal?.throwIfAborted();
    piece += text;
    taken += text.length;
    await breathe();
    if (piece.length < PIECE_CHARS) continue;
    onChars(taken);
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
