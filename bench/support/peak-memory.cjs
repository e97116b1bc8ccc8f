/**
 * Preloaded into a measured process: writes its peak resident memory, in kilobytes, into the file that
 * BENCH_PEAK_FILE names when it exits. On Linux from /proc, because `maxRSS` of a process also counts the
 * memory of the process that forked it.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

function peakKilobytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
}

if (isMainThread) process.on('exit', () => writeFileSync(process.env.BENCH_PEAK_FILE, `${peakKilobytes()}`));
