/**
 * Preloaded into a measured process: at its exit, writes its peak resident memory and the CPU time of all
 * its threads into the file that BENCH_USAGE_FILE names. The peak is read from /proc on Linux, because
 * `maxRSS` of a process there also counts the memory of the process that forked it.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

function peakKilobytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
}

function write() {
  const { user, system } = process.cpuUsage();
  const usage = { peakMegabytes: peakKilobytes() / 1024, cpuSeconds: (user + system) / 1e6 };
  writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(usage));
}

if (isMainThread) process.on('exit', write);
