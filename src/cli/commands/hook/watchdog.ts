/** Milliseconds past a limit after which the run is asked to end, and the same again after which it is killed. */
const GRACE_MS = 60_000;

/** Ends a run that hangs: its entry has counted the try. */
export class Watchdog {
  /** The run took too long, and was asked to end. */
  hasAsked = false;
  #end = 0;
  readonly #timer = setInterval(() => {
    if (performance.now() < this.#end) return;
    // A run that waits for the system does not end when it is asked to.
    process.kill(process.pid, this.hasAsked ? 'SIGKILL' : 'SIGTERM');
    this.hasAsked = true;
  }, GRACE_MS).unref();

  /** Counts from now. */
  allow(limitMs: number): void {
    this.#end = performance.now() + limitMs + GRACE_MS;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
