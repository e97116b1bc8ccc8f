/** True in `npm run test:faults`; `npm test` runs the same tests with small numbers. */
export const thorough = process.env.MEMPALACE_TEST_FAULTS === 'all';

/** Number of repetitions: `few` in `npm test`, `many` in `npm run test:faults`. */
export const times = (few: number, many: number): number => (thorough ? many : few);

/**
 * Numbers from 0 to 1, the same for the same seed, so that a failure can be repeated. To choose a
 * seed: `FAULT_SEED=7 npm run test:faults`.
 */
export function random(seed: number): () => number {
  let state = (seed ^ (Number(process.env.FAULT_SEED ?? 0) * 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
