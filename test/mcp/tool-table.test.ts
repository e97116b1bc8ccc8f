import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toolTable } from '../../src/mcp/tool-table.js';

it('docs/mcp.md lists the current tools (npm run docs)', () => {
  const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
  expect(page).toContain(`-->\n${toolTable()}\n<!-- end of tools -->`);
});
