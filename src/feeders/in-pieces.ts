/** Texts are written together until they have so many characters. */
const PIECE_CHARS = 64 * 1024;

/** The same text in fewer pieces, each at hand for a moment only. */
export async function* inPieces(
  texts: AsyncIterable<string> | Iterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    signal?.throwIfAborted();
    piece += text;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
