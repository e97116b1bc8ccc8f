import { join } from 'node:path';
import { exchange, OpencodeDatabase } from './opencode-database.js';
import type { TestEnv } from './test-env.js';

const HANDBOOK =
  '# Handbook\n\n## Rounding\n\nMoney is rounded once, on the total, never per line item.\n\n## Releases\n\nA release is cut on Thursdays.\n';

/** The data of the documents' examples: a project in `~/shop`, and two sessions of opencode. */
export function addShop(env: TestEnv): void {
  env.project('shop', {
    'README.md': '# Shop\n',
    'docs/handbook.md': HANDBOOK,
    'cart.js': '1',
    '.env': 'A=1',
  });
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  history.addSession({
    title: 'Login broken after the upgrade',
    directory: join(env.home, 'shop'),
    messages: [
      ...exchange(
        'Why does nobody get past the sign-in page any more?',
        'The session cookie is set with SameSite=Strict since the upgrade, so the redirect from the identity provider drops it.',
      ),
      ...exchange('Set it to Lax then.', 'Done: the cookie is SameSite=Lax now.'),
    ],
  });
  history.addSession({
    id: 'ses_0000000012test',
    title: 'Greeting',
    messages: exchange('Hello', 'Hello!'),
  });
  history.close();
}
