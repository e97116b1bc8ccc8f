// Writes docs/cli.md from the command tree of the last build, the table of tools in docs/mcp.md and the tables of classes in
// docs/documents.md, and the addresses in docs/rest.md with docs/openapi.json. `npm run docs` builds first.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandPage } from '../dist/cli/reference/index.js';
import { renderClassTable } from '../dist/feeders/docs/class-table.js';
import { toolTable } from '../dist/mcp/tool-table.js';
import { openApi } from '../dist/rest/openapi.js';
import { routeTable } from '../dist/rest/route-table.js';

/** Replaces what is between two comments of a page. */
function fill(name, begin, end, text) {
  const page = new URL(`../docs/${name}`, import.meta.url);
  const between = new RegExp(`(${begin}\\n)[\\s\\S]*(${end})`);
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(between, (_, first, last) => `${first}${text}\n${last}`),
  );
}

writeFileSync(new URL('../docs/cli.md', import.meta.url), await commandPage());
fill('mcp.md', '<!-- tools: .*? -->', '<!-- end of tools -->', toolTable());
fill('documents.md', '<!-- classes -->', '<!-- /classes -->', renderClassTable());
fill('rest.md', '<!-- routes -->', '<!-- /routes -->', routeTable());
writeFileSync(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(openApi(), undefined, 2)}\n`,
);
