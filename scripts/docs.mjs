// Writes docs/cli.md from the command tree of the last build, and the table of tools in docs/mcp.md. `npm run docs` builds
// first.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandPage } from '../dist/cli/reference/index.js';
import { toolTable } from '../dist/mcp/tool-table.js';

writeFileSync(new URL('../docs/cli.md', import.meta.url), commandPage());

const page = new URL('../docs/mcp.md', import.meta.url);
const table = /(<!-- tools: .*? -->\n)[\s\S]*(<!-- end of tools -->)/;
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(table, (_, begin, end) => `${begin}${toolTable()}\n${end}`),
);
