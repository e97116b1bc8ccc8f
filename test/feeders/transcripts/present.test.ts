import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentsWithSessions } from '../../../src/feeders/transcripts/present.js';
import { resolveFolders } from '../../../src/platform/folders.js';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';

it('agents with sessions are those with files, and opencode if its named database is gone', async () => {
  const home = temporaryFolder();
  filesIn({ '.claude/projects/shop/one.jsonl': '{}', '.codex/sessions/notes.txt': 'x' }, home);
  const named = async (more: NodeJS.ProcessEnv = {}) => {
    const env = { HOME: home, ...more };
    const agents = await agentsWithSessions(env, resolveFolders(env));
    return agents.map(({ name, databases, placed }) => [name, databases.length, placed?.transcripts]);
  };
  const claude = ['claude-code', 0, 1];
  expect(await named()).toEqual([claude]);
  expect(await named({ OPENCODE_DB: join(home, 'gone.db') })).toEqual([['opencode', 0, undefined], claude]);
  filesIn({ '.local/share/opencode/opencode.db': '' }, home);
  expect(await named()).toEqual([['opencode', 1, undefined], claude]);
});
