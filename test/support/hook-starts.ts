import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { TestEnv } from './test-env.js';

/** A machine with a palace, on which hooks start no run. */
export async function hookedMachine(): Promise<TestEnv> {
  const env = new TestEnv();
  await env.json('mempalace', ['diary', 'write', '--agent', 'founder', 'The palace exists.']);
  mkdirSync(join(env.palace, 'hooks'), { recursive: true, mode: 0o700 });
  writeFileSync(join(env.palace, 'hooks', 'runner'), `${process.pid}\n`);
  return env;
}

/** What the agent is told by a hook, which runs as its harness runs it; empty if nothing. */
export async function toldBy(
  env: TestEnv,
  harness: string,
  input: object,
  hook = 'session-start',
): Promise<string> {
  const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', hook, '--harness', harness];
  const { stdout, exitCode } = await execa(process.execPath, argv, {
    env: env.env,
    extendEnv: false,
    input: JSON.stringify(input),
    // A hook that waits for something must not outlive its test.
    timeout: 60_000,
  });
  expect(exitCode).toBe(0);
  const answer = stdout === '' ? {} : JSON.parse(stdout);
  const { additionalContext, message } = answer.hookSpecificOutput ?? {};
  return additionalContext ?? message ?? answer.context ?? '';
}
