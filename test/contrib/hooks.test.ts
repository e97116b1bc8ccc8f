import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { HOOK_ENTRIES } from '../../src/hooks/entries.js';
import { jsonHooks, tomlHooks } from '../../src/setup/hook-pieces.js';

const PAGE = readFileSync(new URL('../../contrib/README.md', import.meta.url), 'utf8');

/** The first block of code of a section. */
const blockOf = (section: string): string =>
  new RegExp(`^## ${section}\\n[^]*?\`\`\`\\w+\\n([^]*?)\`\`\``, 'm').exec(PAGE)?.[1] ?? '';

it('contrib/README.md shows the hooks that mempalace setup writes', () => {
  const claude = jsonHooks({ harness: 'claude-code', file: '', program: 'mempalace' });
  expect(JSON.parse(blockOf('Claude Code'))).toEqual(JSON.parse(claude.set('{}')));
  const kimi = tomlHooks({ harness: 'kimi', file: '', program: 'mempalace' });
  expect(parse(blockOf('Kimi'))).toEqual(parse(kimi.set('')));
  for (const [event, hook] of HOOK_ENTRIES.codex) {
    expect(PAGE).toContain(event);
    expect(PAGE).toContain(`--hook ${hook}`);
  }
});
