/** A separate machine for each measured program: an empty HOME, and nothing of this environment. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const USAGE_HOOK = fileURLToPath(new URL('./usage.cjs', import.meta.url));

const folders = new Set();
const children = new Set();

/** Removes this process's folders and ends its child processes, even on an interrupt. */
function cleanUp() {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.clear();
}
process.on('exit', cleanUp);
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => process.exit(code));
}

/** A new folder that is removed when this process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'mempalace-bench-'));
  folders.add(folder);
  return folder;
}

/** Removes a temporary folder early: a bench of gigabytes does not wait for the end. */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

/** A machine with an empty HOME and without a broker; `palace` is where its palace will be. */
export function newMachine() {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  const surroundings = { PATH: process.env.PATH ?? '', TZ: 'UTC', LANG: 'C.UTF-8' };
  const env = { HOME: home, TMPDIR: folder, MEMPALACE_BROKER: 'off', ...surroundings };
  return { folder, env, palace: join(home, '.mempalace', 'palace'), remove: () => removeFolder(folder) };
}

/**
 * Runs node with these arguments to its end.
 *
 * @param {{ env: Record<string, string>, folder: string }} machine
 * @param {string[]} args a script and its arguments
 * @param {{ usage?: boolean, exitCode?: number, input?: string, onStart?: (pid: number) => void }} [options] `usage` measures memory and CPU time, by a
 *   hook of a millisecond; `exitCode` is the only one that is accepted, default 0; `input` is written to stdin
 * @returns {Promise<{ seconds: number, peakMegabytes?: number, cpuSeconds?: number, stdout: string, stderr: string }>}
 *   seconds from the start of the process to its end
 * @throws when the exit code is another
 */
export async function runNode(machine, args, options = {}) {
  const { usage = false, exitCode = 0, input, onStart = () => {} } = options;
  const usageFile = join(machine.folder, 'usage.json');
  const started = performance.now();
  const child = spawn(process.execPath, [...(usage ? ['--require', USAGE_HOOK] : []), ...args], {
    env: { ...machine.env, ...(usage ? { BENCH_USAGE_FILE: usageFile } : {}) },
    cwd: machine.folder,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  onStart(child.pid);
  children.add(child);
  const [stdout, stderr] = [[], []];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  children.delete(child);
  const seconds = (performance.now() - started) / 1000;
  const result = {
    seconds,
    ...(usage ? JSON.parse(readFileSync(usageFile, 'utf8')) : {}),
    stdout: Buffer.concat(stdout).toString('utf8'),
    stderr: Buffer.concat(stderr).toString('utf8'),
  };
  if (code !== exitCode) {
    throw new Error(
      `exit code ${code}, not ${exitCode}: node ${args.join(' ')}\n${result.stderr.slice(-2000)}`,
    );
  }
  return result;
}

/** Runs one of the programs of bin/. */
export const runProgram = (machine, program, args, options) =>
  runNode(machine, [join(ROOT, 'bin', program), ...args], options);

/** The same with --json; `json` of the result is its document. */
export async function runJson(machine, program, args, options) {
  const result = await runProgram(machine, program, [...args, '--json'], options);
  return { ...result, json: JSON.parse(result.stdout) };
}
