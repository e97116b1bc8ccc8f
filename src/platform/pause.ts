/** Stops this thread, where nothing can be awaited. @param ms milliseconds */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
