import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentSegments } from '../../../src/miner/read/document.js';
import { temporaryFolder } from '../../support/palace.js';

async function titleOf(name: string, text: string): Promise<string | undefined> {
  const path = join(temporaryFolder(), 'document');
  writeFileSync(path, text);
  const segments = [];
  for await (const segment of documentSegments({ path, name, mtimeMs: 0 })) segments.push(segment);
  return segments[0]?.title;
}

const BADGE = '[![CI](https://ci.example/badge.svg)](https://ci.example)';

describe('the title of a document', () => {
  it.each<[string, string, string, string]>([
    ['the first heading', 'a.md', '# Keeping bees\n\n# Other\n', 'Keeping bees'],
    ['of any rank', 'a.md', 'Words before.\n\n## Keeping bees\n\ntext\n\n# Later\n', 'Keeping bees'],
    [
      'of HTML',
      'a.md',
      '<h1 align="center">\n  <img src="logo.png" alt="Logo">\n  Bees &amp; <b>honey</b>\n</h1>\n\n# Install\n',
      'Bees & honey',
    ],
    [
      'of HTML in a block',
      'a.md',
      '<div align="center">\n<img src="x.png">\n<h2>Bees</h2>\n</div>\n\n## Install\n',
      'Bees',
    ],
    ['without its badges', 'a.md', `# Bees ${BADGE} [![npm][badge]][link]\n`, 'Bees'],
    ['not a line of badges', 'a.md', `# ${BADGE} ${BADGE}\n\n## Bees\n`, 'Bees'],
    ['not a logo', 'a.md', '<h1><img src="logo.png" alt="Logo"></h1>\n\n## Bees\n', 'Bees'],
    ['not a table of contents', 'a.md', '## Table of Contents\n\n- [Bees](#bees)\n\n## Bees\n', 'Bees'],
    [
      'not an underlined table of contents',
      'a.rst',
      'Table of Contents\n=================\n\nx\n\nBees\n----\n\ny\n',
      'Bees',
    ],
    ['without its anchor', 'a.md', '# <a name="bees"></a>Bees {#bees}\n', 'Bees'],
    ['front matter first', 'a.md', '---\nlayout: page\ntitle: Honey\n---\n\n# Bees\n', 'Honey'],
    ['not the first key of front matter', 'a.md', '---\nlayout: page\n---\n\n# Bees\n', 'Bees'],
    ['nor of a block that begins late', 'a.md', '\nlayout: page\nauthor: ann\n---\n\n# Bees\n', 'Bees'],
    ['not what stands in code', 'a.md', '```sh\n# not this\n```\n\n## Bees\n', 'Bees'],
    ['the file’s name without a heading', 'notes/bees.md', 'Only words.\n', 'bees.md'],
    ['and where all headings say nothing', 'notes/bees.md', `# ${BADGE}\n\nOnly words.\n`, 'bees.md'],
    ['not the first key of YAML', 'ci/build.yml', 'name: CI\non: push\n', 'build.yml'],
    ['not even one called title', 'ci/build.yml', '---\ntitle: CI\n---\non: push\n', 'build.yml'],
    ['not the first table of TOML', 'a/pyproject.toml', '[project]\nname = "x"\n', 'pyproject.toml'],
    ['the file’s name of a script', 'bin/deploy.sh', '#!/bin/sh\n# deploys\n', 'deploy.sh'],
    ['an underlined first line of a text', 'README', 'Bees\n====\n\nwords\n', 'Bees'],
    ['of AsciiDoc', 'a.adoc', '= Bees\n\nwords\n', 'Bees'],
  ])('%s', async (_, name, text, expected) => {
    expect(await titleOf(name, text)).toBe(expected);
  });
});
