import { statSync } from 'node:fs';
import { freeBytes, nearestFolder } from '../../platform/disk-space.js';
import { palaceFile } from '../../store/db/palace-file.js';
import type { DoctorContext } from './context.js';
import { type Finding, ok, warn } from './finding.js';

const LEAST_FREE = 1_000_000_000;
/** A run empties the log when it ends. While it files it may grow to a few waves of texts with their vectors. */
const LARGE_LOG = 64_000_000;

/** The write-ahead log, and what is free where palace and cache lie. */
export function checkDisk(context: DoctorContext): Finding[] {
  const { palace, folders, palaceBytes } = context;
  const findings = walFinding(palace, palaceBytes, context.holder !== undefined);
  const seen = new Set<number>();
  for (const [label, folder, wanted] of [
    // A repair or a change of models writes as much again.
    ['disk of the palace', palace, Math.max(LEAST_FREE, palaceBytes)],
    ['disk of the cache', folders.cache, LEAST_FREE],
  ] as const) {
    const place = nearestFolder(folder);
    const { dev } = statSync(place);
    if (seen.has(dev)) continue;
    seen.add(dev);
    findings.push(spaceFinding(label, place, freeBytes(place), wanted));
  }
  return findings;
}

/** @param free and `wanted` in bytes */
export function spaceFinding(label: string, place: string, free: number, wanted: number): Finding {
  if (free >= wanted) return ok(label, `${gigabytes(free)} free (${place})`);
  const detail = `only ${gigabytes(free)} free (${place}); ${gigabytes(wanted)} are wanted for repair and reembed`;
  return warn(label, detail, 'make room on that disk');
}

function walFinding(palace: string, palaceBytes: number, filing: boolean): Finding[] {
  let bytes: number;
  try {
    bytes = statSync(`${palaceFile(palace)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return [];
  }
  if (palaceBytes === 0) return [];
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  if (filing) return [ok('write-ahead log', `${size}: a run is filing`)];
  if (bytes < Math.max(LARGE_LOG, palaceBytes / 4)) return [ok('write-ahead log', size)];
  const cause = 'a run was killed, or a reader has kept it open';
  return [warn('write-ahead log', `${size}: ${cause}`, 'the end of the next run empties it')];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
