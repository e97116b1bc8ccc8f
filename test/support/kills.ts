import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MANIFEST_NAME } from '../../src/core/contract.js';
import { removeFolder } from './cleanups.js';
import { problemsOf } from './soundness.js';
import type { TestEnv } from './test-env.js';
import { random } from './thorough.js';

/** A program with its arguments. */
export type Command = readonly [program: string, args: readonly string[]];

/**
 * Starts a program and kills it with SIGKILL after this number of milliseconds.
 *
 * @returns false if it had already ended by itself
 */
async function killAt(env: TestEnv, [program, args]: Command, delayMs: number): Promise<boolean> {
  const child = env.start(program, args);
  await Promise.race([sleep(delayMs), child]);
  child.kill('SIGKILL');
  return (await child).signal === 'SIGKILL';
}

/** Folders below HOME that programs write. */
export const WRITTEN = ['.mempalace', '.cache', 'copies'] as const;

/**
 * A snapshot of HOME that can be restored any number of times, with the same paths, times and modes.
 *
 * @param names only these entries: copied files have a new ctime, which the feeder of documents treats as a change
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
    for (const name of names ?? readdirSync(env.home)) removeFolder(join(env.home, name));
    bring(kept, env.home);
  };
}

function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** State that must be equal at the end, with and without kills. */
export type Look = (env: TestEnv) => unknown;

/** Names, modes and contents of all staged files; manifests without their times. */
export function stagedIn(env: TestEnv): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) walk(path);
      // The lock files stay; their last holder does not matter.
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
  /** Returns the state that is compared. */
  look: Look;
  /** Forbidden damage of a palace after a kill; `problemsOf` when absent. */
  sound?: (palace: string) => unknown[];
  /** Compares `look` after kills with `look` without kills. */
  compare: (killed: unknown, calm: unknown) => void;
}

export interface KillReport {
  /** Number of programs that were alive when they were killed. */
  killed: number;
  /** Milliseconds that the command takes without a kill. */
  whole: number;
}

/**
 * Kills a command at random moments, each time from the same HOME, and checks the result: an intact
 * palace, and after one normal run the same state as without a kill.
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
  // Shrinks with each kill that came too late, because the machine was busier during the measurement.
  let span = whole;
  for (let kill = 0; kill < kills; kill += 1) {
    reset();
    // Before this, node is only loading the program.
    const at = span * (0.12 + 0.93 * next());
    const alive = await killAt(env, command, at);
    if (alive) killed += 1;
    else span *= 0.85;
    const where = `seed ${seed}, kill ${kill}, after ${at.toFixed(1)} of ${span.toFixed(0)} ms${alive ? '' : ' (it had ended)'}`;
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
