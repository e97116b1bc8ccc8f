import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';

describe("opencode's tables with credentials", () => {
  it('are never read: every access to one of them fails here', async ({ env }) => {
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({
      id: 'ses_0000000001views',
      title: 'About the port',
      messages: [...exchange('Which port?', '8443.'), ...exchange('Why?', 'It needs no root.')],
    });
    const tables = ['account', 'control_account', 'credential', 'session_share', 'event', 'permission'];
    history.database.exec('DROP TABLE account');
    for (const table of tables)
      history.database.exec(`CREATE VIEW ${table} AS SELECT no_such_function(1) AS id, 2 AS access_token`);
    // The trap works, even for a query that only counts rows.
    for (const table of tables)
      expect(() => history.database.prepare(`SELECT count(*) FROM ${table}`).get()).toThrow(
        'no_such_function',
      );
    for (const table of tables)
      expect(() => history.database.prepare(`PRAGMA table_info(${table})`).all()).toThrow('no_such_function');

    const dry = await env.run('mempalace-session', ['--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0 });
    const filed = await env.json('mempalace-session', []);
    expect(filed).toMatchObject({ new: 1, problems: [] });
    expect(await env.json('mempalace-session', ['--force'])).toMatchObject({ changed: 1, problems: [] });
    const checks = await env.run('mempalace', ['doctor']);
    expect(checks.stdout + checks.stderr).not.toContain('no_such_function');
    history.close();
  }, 240_000);
});
