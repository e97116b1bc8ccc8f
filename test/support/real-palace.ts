import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtOnce } from './built-once.js';
import { exchange, OpencodeDatabase } from './opencode-database.js';
import type { TestEnv } from './test-env.js';

export const HANDBOOK = '# Handbook\n\n## Rounding\n\nMoney is rounded once, on the total.\n';

interface Filled {
  env: TestEnv;
  shop: string;
  garden: string;
  history: OpencodeDatabase;
}

/**
 * A machine with a palace filled by the real programs: documents of two projects and sessions of opencode,
 * one of them a fork. Call it where a test file declares its tests, see `builtOnce`.
 *
 * @param commands of `mempalace` that fill it further
 */
export function filledMachine(commands: readonly (readonly string[])[] = []): () => Promise<Filled> {
  const given = builtOnce(async (env) => {
    const folders = await fill(env);
    for (const args of commands) await env.json('mempalace', args);
    return folders;
  });
  return async () => {
    const { env, built } = await given();
    return { env, ...built, history: new OpencodeDatabase(historyOf(env), { existing: true }) };
  };
}

const historyOf = (env: TestEnv) => join(env.home, '.local/share/opencode/opencode.db');

async function fill(env: TestEnv): Promise<{ shop: string; garden: string }> {
  const shop = env.project('shop', {
    'README.md': '# Shop\n\nSells lamps.\n',
    'docs/handbook.md': HANDBOOK,
  });
  const garden = env.project('garden', {
    'notes.md': '---\ntitle: "Beds: north & south"\n---\n\nThe heron comes at dawn.\n',
  });
  mkdirSync(join(env.home, '.local/share/opencode'), { recursive: true });
  const history = new OpencodeDatabase(historyOf(env));
  const login = history.addSession({
    id: 'ses_0000000001login',
    title: 'Login broken after the upgrade',
    messages: [
      ...exchange('Why does nobody get past the sign-in page?', 'The cookie is SameSite=Strict since then.'),
      ...exchange('Set it to Lax then.', 'Done, in auth/session.ts.'),
    ],
  });
  history.fork(login, {
    id: 'ses_0000000002forks',
    title: 'Login broken (fork #1)',
    created: Date.UTC(2026, 2, 3, 10),
    messages: exchange('And what of the mobile app?', 'It keeps its token in the keychain.'),
  });
  history.addSession({
    id: 'ses_0000000003ports',
    title: 'Ports',
    created: Date.UTC(2026, 2, 4, 10),
    messages: [
      ...exchange('Which port does the proxy use?', 'Port 8443.'),
      ...exchange('Why?', '443 needs root.'),
    ],
  });
  await env.json('mempalace-docs', [shop]);
  await env.json('mempalace-docs', [garden]);
  history.close();
  await env.json('mempalace-session', []);
  return { shop, garden };
}
