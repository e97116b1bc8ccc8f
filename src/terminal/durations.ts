import { UserError } from '../core/errors.js';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * `10s`, `5m`, `1h`; a bare number is seconds. Returns milliseconds.
 *
 * @throws UserError `usage`
 */
export function parseDuration(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim());
  const unit = UNITS[match?.[2] ?? 's'];
  if (match === null || unit === undefined) {
    throw new UserError('usage', `${flag} takes a duration, not "${text}"`, {
      hint: 'such as 30s, 5m or 1h',
    });
  }
  return Number(match[1]) * unit;
}

/**
 * `512K`, `2M`, `1G`; a bare number is bytes. Returns bytes.
 *
 * @throws UserError `usage`
 */
export function parseSize(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg])?(?:i?b)?$/i.exec(text.trim());
  if (match === null) {
    throw new UserError('usage', `${flag} takes a size, not "${text}"`, { hint: 'such as 512K or 2M' });
  }
  const power = { k: 1, m: 2, g: 3 }[(match[2] ?? '').toLowerCase()] ?? 0;
  return Math.floor(Number(match[1]) * 1024 ** power);
}

/**
 * A whole number of at least `least`.
 *
 * @throws UserError `usage`
 */
export function parseCount(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || value < least || !Number.isSafeInteger(value)) {
    throw new UserError('usage', `${flag} takes a whole number of at least ${least}, not "${text}"`);
  }
  return value;
}

/** `1.2 MB` */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `42s`, `3m 10s`; with tenths below ten seconds. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${whole % 60}s`;
}

/** @param startedAt of `performance.now()` @returns seconds, with two decimals */
export function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 10) / 100;
}

/** `2026-11-29 03:30 UTC` for a moment in ISO 8601. */
export function minuteOf(moment: string): string {
  return `${moment.replace('T', ' ').slice(0, 16)} UTC`;
}

export { plural } from '../core/plural.js';
