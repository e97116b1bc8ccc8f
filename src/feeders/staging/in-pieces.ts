import { breather } from '../../platform/breather.js';

/** Texts are joined until they have this many characters. */
const PIECE_CHARS = 64 * 1024;

/** Joins texts into fewer pieces. @param onChars gets the number of characters so far, before each piece */
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
