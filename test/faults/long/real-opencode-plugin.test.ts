import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { OPENCODE_BIN, Opencode } from '../../support/real-opencode.js';
import { scriptedModel } from '../../support/scripted-model.js';
import { TestEnv } from '../../support/test-env.js';

const PLUGIN = fileURLToPath(new URL('../../../contrib/opencode/mempalace.js', import.meta.url));

describe.skipIf(OPENCODE_BIN === '')('real opencode with our plugin (needs OPENCODE_BIN)', () => {
  it('receives the wake-up text, and its session is filed when it becomes idle', async () => {
    const env = new TestEnv();
    const passage = 'The proxy listens on port 8443, since 443 needs root.';
    await env.json('mempalace', ['diary', 'write', '--agent', 'founder', passage]);
    const plugins = join(env.home, '.config', 'opencode', 'plugins');
    mkdirSync(plugins, { recursive: true });
    copyFileSync(PLUGIN, join(plugins, 'mempalace.js'));
    const model = await scriptedModel(
      (question, _, system) =>
        `${system.includes(passage) ? 'I was told of the proxy.' : 'I know nothing.'} You asked: ${question}`,
    );
    try {
      const opencode = new Opencode(env, model, {}, { MEMPALACE_COMMAND: String(env.argv('mempalace')[0]) });
      const said = await opencode.run(['run', '--format', 'json', 'Where do the grey herons nest?']);
      expect(said).toContain('I was told of the proxy.');
      await vi.waitFor(
        async () => {
          const { hits } = await env.json('mempalace', ['search', 'where do the grey herons nest']);
          expect(JSON.stringify(hits)).toContain('I was told of the proxy.');
        },
        { timeout: 120_000, interval: 1_000 },
      );
    } finally {
      model.close();
    }
  });
});
