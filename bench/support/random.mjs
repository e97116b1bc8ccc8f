/**
 * A small seeded random source (mulberry32), so that a bench database is the same bytes on every machine.
 * @param {number} seed any integer
 */
export function createRandom(seed) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x2545f491) >>> 0;

  /** Uniform in [0, 1). */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  /** Uniform integer in [low, high], both included. */
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  /** One element of a list that is not empty. */
  const pick = (list) => list[Math.floor(next() * list.length)];
  const chance = (probability) => next() < probability;
  /** Log-normal with this median; `sigma` is the standard deviation of the logarithm. */
  const logNormal = (median, sigma) => {
    const radius = Math.sqrt(-2 * Math.log(1 - next()));
    return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * next()));
  };
  /** Lower-case hexadecimal digits. */
  const hex = (length) => {
    let out = '';
    while (out.length < length) out += Math.floor(next() * 16).toString(16);
    return out;
  };
  return { next, between, pick, chance, logNormal, hex };
}

/**
 * Splits `total` into `count` integers with these minimums, in proportion to `weights`; the sum is exact.
 * @throws when the minimums alone exceed the total
 */
export function apportion(total, minimums, weights) {
  const floor = minimums.reduce((sum, value) => sum + value, 0);
  if (floor > total) throw new Error(`${total} cannot be shared out: at least ${floor} are needed`);
  const spare = total - floor;
  const whole = weights.reduce((sum, value) => sum + value, 0);
  const exact = weights.map((weight) => (whole === 0 ? 0 : (spare * weight) / whole));
  const shares = exact.map((value, index) => minimums[index] + Math.floor(value));
  const order = exact.map((value, index) => [value - Math.floor(value), index]);
  order.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  let rest = total - shares.reduce((sum, value) => sum + value, 0);
  for (const [, index] of order) {
    if (rest === 0) break;
    shares[index] += 1;
    rest -= 1;
  }
  return shares;
}
