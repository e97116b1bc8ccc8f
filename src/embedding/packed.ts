/** Vectors as one text, for another process of this machine: base64 of their numbers, in the machine's order of bytes. */
export function packVectors(vectors: readonly Float32Array[]): string {
  const bytes = vectors.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return Buffer.concat(bytes).toString('base64');
}

/** @throws Error for a text that does not contain `count` vectors of `dimension` numbers */
export function unpackVectors(text: string, count: number, dimension: number): Float32Array[] {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  const width = dimension * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length !== count * width)
    throw new Error(`${bytes.length} bytes are not ${count} vectors of ${dimension} numbers`);
  return Array.from({ length: count }, (_, at) => new Float32Array(bytes.buffer, at * width, dimension));
}
