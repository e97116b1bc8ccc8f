/** The bytes of a body; undefined when there are more than `most` of them. */
export async function bytesWithin(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
