import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TestEnv } from './test-env.js';

interface BrokerFile {
  pid: number;
  socket: string;
}

/** Lets the programs of a machine use a broker, which ends with the test. */
export function withBroker(env: TestEnv): TestEnv {
  env.env.MEMPALACE_BROKER = 'auto';
  onTestFinished(async () => {
    env.env.MEMPALACE_BROKER = 'off';
    killBroker(env);
  });
  return env;
}

/** What `broker.json` says. */
export function brokerFile(env: TestEnv): BrokerFile {
  return JSON.parse(readFileSync(join(env.palace, 'broker.json'), 'utf8'));
}

/** Kills the broker if it runs. @returns its process id */
export function killBroker(env: TestEnv): number | undefined {
  try {
    const { pid } = brokerFile(env);
    process.kill(pid, 'SIGKILL');
    return pid;
  } catch {
    return undefined;
  }
}
