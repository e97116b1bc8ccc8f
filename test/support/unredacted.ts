import { join } from 'node:path';
import { OpencodeDatabase } from './opencode-database.js';
import { TestEnv } from './test-env.js';

export const TOKEN = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(2).slice(0, 36)}`;
const PASSWORD = ['m4', 'Zq', '!7', 'wd', 'K2'].join('');
/** In a list below its key, where earlier versions did not look. */
const KEY = ['2b4ea410', 'fb9102f2', '9a422eb1', '4ab2f2d0'].join('');
const HIDDEN = 'the board does not know';
const REMINDER = '<system-reminder>\nNever mention the llama.\n</system-reminder>';
/** Any of the secrets. */
export const NEEDLES = [
  TOKEN,
  TOKEN.slice(0, 12),
  TOKEN.toLowerCase().slice(4, 20),
  PASSWORD,
  KEY,
  HIDDEN,
  'llama',
];
const SESSION = 'ses_0000000001scrub';

const FILES = {
  'README.md': '# Shop\n\nWe sell things.\n',
  'docs/deploy.md': `# Deploy\n\nSet it up first.\n\n    DB_PASSWORD=${PASSWORD}\n\n    x-api-key:\n    - ${KEY}\n\n${'Then wait for the green light. '.repeat(40)}\n\n<private>\n${HIDDEN}\n</private>\n\nDone.\n`,
};

function transcript(): string {
  const turns = [
    { type: 'user', text: `${'Please look at this closely. '.repeat(6)}The token is ${TOKEN}` },
    { type: 'assistant', text: `I use ${TOKEN} then.` },
    { type: 'user', text: REMINDER },
    { type: 'user', text: `And now?\n${REMINDER}\nThanks` },
    { type: 'assistant', text: 'You may say <system-reminder>this</system-reminder> here.' },
  ];
  return turns
    .map(({ type, text }, index) =>
      JSON.stringify({
        type,
        uuid: `u${index}`,
        sessionId: '55555555-eeee',
        cwd: '/home/me/shop',
        timestamp: '2026-02-01T10:00:00.000Z',
        message: { role: type, content: text },
      }),
    )
    .map((row) => `${row}\n`)
    .join('');
}

/** Documents, an opencode session and a transcript, filed with --no-redact. */
export async function unredacted() {
  const env = new TestEnv();
  const shop = env.project('shop', FILES);
  const talks = env.project('talks', { 'one.jsonl': transcript() });
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  history.addSession({
    id: SESSION,
    slug: '',
    title: `Rotate ${TOKEN}`,
    directory: '/home/me/shop',
    messages: [
      { role: 'user', parts: [`Is ${TOKEN} still valid?\n${REMINDER}`] },
      { role: 'assistant', parts: ['It is not, make another one.'] },
      { role: 'user', parts: [REMINDER] },
      { role: 'user', parts: ['And where does it go?'] },
      { role: 'assistant', parts: [`Into the vault, with password: ${PASSWORD}`] },
    ],
  });
  await env.json('mempalace-docs', [shop, '--no-redact']);
  await env.json('mempalace-session', ['--no-redact']);
  await env.json('mempalace', ['mine', talks, '--mode', 'convos', '--no-redact']);
  return { env, shop, talks, history };
}
