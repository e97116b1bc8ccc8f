import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MANIFEST_NAME } from '../../src/core/contract.js';
import { problemsOf } from './soundness.js';
import type { TestEnv } from './test-env.js';
import { random } from './thorough.js';

/** A program with its arguments. */
export type Command = readonly [program: string, args: readonly string[]];

/**
 * Starts a program and kills it, with a signal that it cannot catch, so many milliseconds later.
 *
 * @returns false when it had ended by itself before
 */
async function killAt(env: TestEnv, [program, args]: Command, delayMs: number): Promise<boolean> {
  const child = env.start(program, args);
  await Promise.race([sleep(delayMs), child]);
  child.kill('SIGKILL');
  return (await child).signal === 'SIGKILL';
}

/** What programs write below HOME. */
export const WRITTEN = ['.mempalace', '.cache', 'copies'] as const;

/**
 * HOME as it is now, to be brought back any number of times: the same paths, times and modes.
 *
 * @param names only these of it: what is copied has another ctime, by which the feeder of documents knows a change
 */
export function keepHome(
  env: TestEnv,
  names?: readonly string[],
  kept = mkdtempSync(join(dirname(env.home), 'kept-')),
): () => void {
  const kinds = names ?? readdirSync(env.home);
  const bring = (from: string, to: string) => {
    for (const name of kinds) if (existsSync(join(from, name))) copy(join(from, name), join(to, name));
  };
  bring(env.home, kept);
  return () => {
    for (const name of names ?? readdirSync(env.home))
      rmSync(join(env.home, name), { recursive: true, force: true });
    bring(kept, env.home);
  };
}

function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** What must be equal at the end, whether a run was killed or not. */
export type Look = (env: TestEnv) => unknown;

/** Names, modes and contents of all staged files; of the manifests what they say, not when they were written. */
export function stagedIn(env: TestEnv): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) walk(path);
      // The lock files stay; who held a lock last is no content.
      else if (!name.startsWith('.lock')) {
        const time = name === MANIFEST_NAME ? '' : Math.round(stat.mtimeMs);
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
        found[relative(env.cache, path)] = `${(stat.mode & 0o777).toString(8)} ${time} ${hash}`;
      }
    }
  };
  if (existsSync(env.cache)) walk(env.cache);
  return found;
}

export interface KillPlan {
  env: TestEnv;
  command: Command;
  /** Run after the kill; the command itself when absent. */
  then?: readonly Command[];
  kills: number;
  seed: number;
  /** How equal palaces and mirrors are seen. */
  look: Look;
  /** What is wrong with a palace that was just killed, and may not be; `problemsOf` when absent. */
  sound?: (palace: string) => unknown[];
  /** `look` of the killed one against `look` of one that was never killed. */
  compare: (killed: unknown, calm: unknown) => void;
}

export interface KillReport {
  /** Programs that were alive when they were killed. */
  killed: number;
  /** Milliseconds that the command takes when nobody kills it. */
  whole: number;
}

/**
 * Kills a command at random moments of its life, each time from the same HOME, and looks at what it leaves: a sound
 * palace, and after one normal run the same as one that was never killed.
 */
export async function survivesKills(plan: KillPlan): Promise<KillReport> {
  const { env, command, kills, seed, look, compare, sound = problemsOf } = plan;
  const reset = keepHome(env, WRITTEN);
  const finish = plan.then ?? [command];
  const normally = async () => {
    for (const [program, args] of finish) await env.json(program, args);
  };
  const started = performance.now();
  await env.spawnJson(...command);
  const whole = performance.now() - started;
  await normally();
  const calm = look(env);
  const next = random(seed);
  let killed = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    reset();
    // Before this, node is only loading the program.
    const at = whole * (0.12 + 0.93 * next());
    const alive = await killAt(env, command, at);
    if (alive) killed += 1;
    const where = `seed ${seed}, kill ${kill}, after ${at.toFixed(1)} of ${whole.toFixed(0)} ms${alive ? '' : ' (it had ended)'}`;
    expect([where, sound(env.palace)]).toEqual([where, []]);
    try {
      await normally();
      expect(problemsOf(env.palace)).toEqual([]);
      compare(look(env), calm);
    } catch (error) {
      if (error instanceof Error) error.message = `${where}: ${error.message}`;
      throw error;
    }
  }
  return { killed, whole };
}
