// Writes docs/cli.md from the command tree of the last build. `npm run docs` builds first.
import { writeFileSync } from 'node:fs';
import { commandPage } from '../dist/cli/reference/write.js';

writeFileSync(new URL('../docs/cli.md', import.meta.url), commandPage());
