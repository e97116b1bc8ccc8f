/** The bytes of a body; undefined when there are more than `most` of them. The rest is left unread: the answer can still be sent. */
export async function bytesWithin(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Buffer | undefined> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return Buffer.concat(pieces);
    bytes += value.byteLength;
    if (bytes > most) return undefined;
    pieces.push(value);
  }
}
