import { readFileSync } from 'node:fs';

/** Memory of a process in megabytes: resident, and its share of what processes have in common. Undefined if it has ended. */
export function memoryOf(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    return undefined;
  }
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { rss: megabytes('Rss'), pss: megabytes('Pss') };
}
