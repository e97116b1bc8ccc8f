import { schemas } from './json-schemas.js';
import type { TestEnv } from './test-env.js';

/** No source in any status. */
export const NONE = {
  ok: 0,
  missing: 0,
  stale: 0,
  orphaned: 0,
  held_back: 0,
  forgotten: 0,
  not_checked: 0,
};

/** The output of `mempalace verify --json`. */
export async function verified(env: TestEnv, args: string[] = [], exitCode = 0) {
  const result = schemas.verify.parse(await env.json('mempalace', ['verify', ...args], exitCode));
  return { ...result, statuses: result.findings.map(({ status }) => status).sort() };
}
