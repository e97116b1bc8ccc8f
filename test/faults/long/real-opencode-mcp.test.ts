import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPENCODE_BIN, Opencode } from '../../support/real-opencode.js';
import { scriptedModel } from '../../support/scripted-model.js';
import { TestEnv } from '../../support/test-env.js';

describe.skipIf(OPENCODE_BIN === '')('real opencode as a client (needs OPENCODE_BIN)', () => {
  it('starts the server that mempalace mcp installed; a model that searches gets the passage', async () => {
    const env = new TestEnv();
    const passage = 'The proxy listens on port 8443, since 443 needs root.';
    await env.json('mempalace-docs', [env.project('notes', { 'proxy.md': `# Proxy\n\n${passage}\n` })]);
    await env.json('mempalace', ['mcp', 'install', 'opencode']);
    const seen: string[] = [];
    const model = await scriptedModel((_, results) => {
      seen.push(...results);
      const [found] = results;
      if (found === undefined) return { tool: 'mempalace_search', arguments: { query: 'port of the proxy' } };
      return found.includes(passage) ? 'It is port 8443.' : 'Nothing was found.';
    });
    try {
      const opencode = new Opencode(env, model);
      const listed = await opencode.run(['mcp', 'list']);
      expect(listed).toContain('mempalace');
      expect(listed).toContain('connected');
      expect(listed).toContain(join('bin', 'mempalace-mcp'));
      const said = await opencode.run(['run', '--format', 'json', 'Which port does the proxy use?']);
      expect(seen.join('\n')).toContain(passage);
      expect(said).toContain('It is port 8443.');
    } finally {
      model.close();
    }
  });
});
