/** File systems keep coarse times, and clocks of two machines differ a little. */
const TOLERANCE_MS = 60_000;
/** Archives give files an earlier time when they know none. */
const FIRST_FILES_MS = Date.UTC(2000, 0);

/**
 * The latest time that a record in a file can have, if the file was changed at `fileMs`: a later one is of a wrong
 * clock. Epoch milliseconds.
 */
export function latestBelievable(fileMs: number, nowMs = Date.now()): number {
  const changedMs = fileMs < FIRST_FILES_MS ? nowMs : fileMs;
  return Math.floor(Math.min(changedMs, nowMs)) + TOLERANCE_MS;
}

/**
 * Times of records in the order in which they were written. One that is missing or after `latestMs` becomes that of
 * the record before it, or of the first record with a time; undefined for all if none is believable.
 */
export function believedTimes(
  timesMs: readonly (number | undefined)[],
  latestMs: number,
): (number | undefined)[] {
  const isBelieved = (time: number | undefined): time is number => time !== undefined && time <= latestMs;
  let last = timesMs.find(isBelieved);
  return timesMs.map((time) => {
    if (isBelieved(time)) last = time;
    return last;
  });
}

/**
 * When a file was changed, epoch milliseconds. A time after now is of a wrong clock, or was set by hand: then the
 * change of the file's record counts, which is a time of this machine.
 */
export function believedChange(
  { mtimeMs, ctimeMs }: { mtimeMs: number; ctimeMs: number },
  nowMs = Date.now(),
): number {
  return [mtimeMs, ctimeMs].find((ms) => ms <= nowMs + TOLERANCE_MS) ?? nowMs;
}
