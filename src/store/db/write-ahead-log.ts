/** SQLite's format of a WAL: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;

/**
 * A database file with what is committed in its WAL.
 *
 * @param file is changed
 * @param log may end within a frame, or with frames of an earlier WAL
 */
export function withLogged(file: Buffer, log: Buffer): Buffer {
  if (log.length < HEADER || (log.readUInt32BE(0) | 1) !== (MAGIC | 1)) return file;
  const pageBytes = log.readUInt32BE(8);
  const sum = checksum((log.readUInt32BE(0) & 1) === 1);
  if (!sum(log.subarray(0, 24)).equals(log.subarray(24, HEADER))) return file;
  const salts = log.subarray(16, 24);
  let committed: Map<number, Buffer> | undefined;
  let pages = 0;
  const seen = new Map<number, Buffer>();
  for (let at = HEADER; at + FRAME_HEADER + pageBytes <= log.length; at += FRAME_HEADER + pageBytes) {
    const head = log.subarray(at, at + FRAME_HEADER);
    const page = log.subarray(at + FRAME_HEADER, at + FRAME_HEADER + pageBytes);
    if (!head.subarray(8, 16).equals(salts)) break;
    sum(head.subarray(0, 8));
    if (!sum(page).equals(head.subarray(16, 24))) break;
    seen.set(head.readUInt32BE(0), page);
    const size = head.readUInt32BE(4);
    if (size === 0) continue;
    pages = size;
    committed = new Map(seen);
  }
  if (committed === undefined) return file;
  const whole = Buffer.alloc(pages * pageBytes);
  file.copy(whole);
  for (const [page, bytes] of committed) if (page <= pages) bytes.copy(whole, (page - 1) * pageBytes);
  return whole;
}

/** SQLite's checksum, which continues from call to call. */
function checksum(isBigEndian: boolean): (bytes: Buffer) => Buffer {
  let [one, other] = [0, 0];
  return (bytes) => {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 8) {
      one = (one + words.getUint32(at, !isBigEndian) + other) >>> 0;
      other = (other + words.getUint32(at + 4, !isBigEndian) + one) >>> 0;
    }
    const sum = Buffer.alloc(8);
    sum.writeUInt32BE(one, 0);
    sum.writeUInt32BE(other, 4);
    return sum;
  };
}
