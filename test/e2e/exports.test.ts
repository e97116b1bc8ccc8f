import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  AT,
  chatGptConversation,
  claudeConversation,
  inTurn,
  SLACK_USERS,
  slackMessage,
} from '../support/exports.js';
import { it } from '../support/it-env.js';
import { exchange, exportOf, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

const keysOf = async (env: TestEnv) => {
  const { sources } = await env.json('mempalace', ['list', 'sources']);
  return (sources as { source_key: string }[]).map(({ source_key }) => source_key).sort();
};
const textOf = async (env: TestEnv, id: string) => (await env.run('mempalace', ['show', id])).stdout;

describe('mempalace mine of exported conversations', () => {
  it('ChatGPT: found without a mode; a newer export adds what has grown, an older one removes nothing', async ({
    env,
  }) => {
    const still = chatGptConversation('still', inTurn('Which port?', 'The zebra gateway, 8443.'));
    const short = chatGptConversation('grows', inTurn('Name a bird.', 'Heron.'), AT);
    const long = chatGptConversation(
      'grows',
      inTurn('Name a bird.', 'Heron.', 'Smaller?', 'Magpie.'),
      AT + 60,
    );
    const older = env.project('older', {
      'conversations.json': JSON.stringify([still, short]),
      'user.json': '{"id": "user-1"}',
      'chat.html': '<html></html>',
      'picture.png': 'no',
      'picture2.png': 'no',
    });
    expect(await env.json('mempalace', ['mine', older])).toMatchObject({ new: 2 });
    // Options for documents have no effect on transcripts.
    const documents = ['--allow-removals', '--exclude', 'x', '--no-gitignore'];
    const unchanged = await env.json('mempalace', ['mine', older, ...documents]);
    expect(unchanged).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
    const newer = env.project('newer', { 'conversations.json': JSON.stringify([long, still]) });
    expect(await env.json('mempalace', ['mine', newer])).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
    rmSync(newer, { recursive: true });
    // The older export, unpacked after the newer one.
    const now = new Date(Date.now() + 60_000);
    utimesSync(join(older, 'conversations.json'), now, now);
    const again = await env.json('mempalace', ['mine', older]);
    expect(again).toMatchObject({ new: 0, changed: 0, skipped_by_reason: { 'older copy of a session': 1 } });
    expect(await keysOf(env)).toEqual(['chatgpt:grows', 'chatgpt:still']);
    expect(await textOf(env, 'grows')).toContain('Magpie.');
  });

  it('Claude.ai: conversations of an account, found without a mode, filed once', async ({ env }) => {
    const all = [
      claudeConversation('one', ['Which port?', 'The zebra gateway, 8443.']),
      claudeConversation('two', ['Name a bird.', 'Heron.']),
    ];
    const folder = env.project('claude', {
      'conversations.json': JSON.stringify(all, null, 2),
      'users.json': JSON.stringify([{ uuid: 'account', full_name: 'Ann' }]),
      'projects.json': '[]',
    });
    expect(await env.json('mempalace', ['mine', folder])).toMatchObject({ new: 2 });
    expect(await env.json('mempalace', ['mine', folder])).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
    expect(await keysOf(env)).toEqual(['claude-ai:one', 'claude-ai:two']);
    const { hits } = await env.json('mempalace', ['search', 'zebra gateway', '--limit', '1']);
    expect(JSON.stringify(hits)).toContain('8443');
  });

  it('Slack: days of channels, found without a mode, filed once', async ({ env }) => {
    const folder = env.project('slack', {
      'users.json': SLACK_USERS,
      'channels.json': '[{"id": "C1", "name": "general"}]',
      'general/2026-03-04.json': JSON.stringify([
        slackMessage(1, 'Which port?'),
        slackMessage(2, 'The zebra gateway, 8443.', { user: 'U2' }),
      ]),
      'general/2026-03-05.json': JSON.stringify([slackMessage(86_400, 'Morning.')], null, 2),
      'birds/2026-03-04.json': JSON.stringify([slackMessage(3, 'Heron.')]),
    });
    expect(await env.json('mempalace', ['mine', folder])).toMatchObject({ new: 3 });
    expect(await env.json('mempalace', ['mine', folder])).toMatchObject({ new: 0, changed: 0, unchanged: 3 });
    expect(await keysOf(env)).toEqual([
      'slack:birds/2026-03-04',
      'slack:general/2026-03-04',
      'slack:general/2026-03-05',
    ]);
    expect(await textOf(env, 'general/2026-03-04')).toContain('Bob Brown: The zebra gateway, 8443.');
  });

  it('opencode: an export and its database are one session, in either order', async () => {
    const made = (env: TestEnv) => {
      const folder = env.project('.local/share/opencode', {});
      const database = new OpencodeDatabase(join(folder, 'opencode.db'));
      const messages = [...exchange('Which port?', 'The zebra gateway, 8443.'), ...exchange('Sure?', 'Yes.')];
      const id = database.addSession({ id: 'ses_1', title: 'Ports', directory: '/code/shop', messages });
      const text = JSON.stringify(exportOf(database.database, id), null, 2);
      database.close();
      return env.project('exports', { 'ses_1.json': text });
    };
    const first = new TestEnv();
    const folder = made(first);
    expect(await first.json('mempalace-session', [])).toMatchObject({ new: 1 });
    const { drawers_total: total } = await first.json('mempalace', ['mine', folder, '--mode', 'convos']);
    expect(await keysOf(first)).toEqual(['opencode:ses_1']);
    const second = new TestEnv();
    expect(await second.json('mempalace', ['mine', made(second)])).toMatchObject({
      new: 1,
      drawers_total: total,
    });
    expect(await textOf(second, 'ses_1')).toContain('The zebra gateway, 8443.');
    expect(await second.json('mempalace-session', [])).toMatchObject({ new: 0, drawers_total: total });
    expect(await keysOf(second)).toEqual(['opencode:ses_1']);
  });

  it('text with quoted questions: found without a mode; a folder of documents is not a conversation', async ({
    env,
  }) => {
    const talk = '> Which port?\n\nThe zebra gateway, 8443.\n\n> Sure?\nYes.\n\n> Thanks.\nWelcome.\n';
    const chats = env.project('chats', { 'ports.txt': talk });
    expect(await env.json('mempalace', ['mine', chats])).toMatchObject({ new: 1 });
    expect(await env.json('mempalace', ['mine', chats])).toMatchObject({ new: 0, changed: 0, unchanged: 1 });
    const [key] = await keysOf(env);
    expect(key).toMatch(/^text:[\da-f]{24}$/);
    const documents = env.project('documents', {
      'quotes.md': `# Sayings\n\n${talk}`,
      'notes.md': 'Some words.\n\n> One\n> Two\n> Three\n',
      'data/a.json': '{"messages": {"welcome": "Hello"}, "mapping": "none"}',
      'data/b.json': '[{"type": "message", "text": "no time"}]',
      'data/c.json': '[{"name": "x", "conversations": []}]',
    });
    const mined = await env.json('mempalace', ['mine', documents, '--dry-run']);
    expect(mined).toMatchObject({ new: 2 });
    expect(JSON.stringify(mined)).not.toContain('text:');
  });

  it('malformed parts are named, the rest is filed, and the exit code is 3, even if nothing is readable', async ({
    env,
  }) => {
    const good = chatGptConversation('good', inTurn('Which port?', '8443.'));
    const broken = { title: 'Broken one', conversation_id: 'bad', mapping: 7 };
    const folder = env.project('export', { 'conversations.json': JSON.stringify([good, broken]) });
    const mined = await env.run('mempalace', ['mine', folder, '--mode', 'convos']);
    expect(mined).toMatchObject({ exitCode: 3 });
    expect(mined.stderr + mined.stdout).toContain('Broken one');
    expect(await keysOf(env)).toEqual(['chatgpt:good']);
    const archive = Buffer.concat([
      Buffer.from('PK\u0003\u0004'),
      Buffer.alloc(26),
      Buffer.from('conversations.json'),
    ]);
    const packed = await env.run('mempalace', ['mine', env.project('packed', { 'export.zip': archive })]);
    expect(packed).toMatchObject({ exitCode: 3 });
    expect(packed.stderr + packed.stdout).toMatch(/export\.zip[\s\S]*unpack it/);
    const one = await env.run('mempalace', ['mine', join(folder, 'conversations.json'), '--mode', 'convos']);
    expect(one).toMatchObject({ exitCode: 3 });
    expect(one.stderr + one.stdout).toContain('Broken one');
    const file = await env.run('mempalace', ['mine', join(folder, 'conversations.json')]);
    expect(file.stderr).toContain('a file of conversations is filed with --mode convos');
    const database = await env.run('mempalace', [
      'mine',
      env.project('databases', { 'opencode.db': '' }),
      '--mode',
      'convos',
    ]);
    expect(database.stderr + database.stdout).toMatch(/mempalace-session --db \S*opencode\.db/);
    const strange = env.project('strange', { 'a.json': '{"what": "is this"}' });
    expect(await env.run('mempalace', ['mine', strange, '--mode', 'convos'])).toMatchObject({ exitCode: 3 });
  });
});
