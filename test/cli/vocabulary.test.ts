import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const namesIn = (folder: string, end: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && !name.startsWith('decisions'))
    .map((name) => `${folder}/${name}`);

/** What the user reads: docs/cli.md is the help of all commands, and hints.test.ts looks at the messages. */
const READ = [
  'README.md',
  'SKILL.md',
  'contrib/README.md',
  'contrib/pi/README.md',
  ...namesIn('docs', '.md'),
];
const PAGE = namesIn('page', '.tsx');

/** Names that things had, with the name that everything says. Addresses, tools and fields of documents keep the former. */
const FORMER: [former: RegExp, name: string, places?: readonly string[]][] = [
  [/(?<!\/)\bkg\b/i, 'facts'],
  [/\bmempalace conflicts\b/, 'facts conflicts'],
  [/(?<![/'])\bmetabolism\b(?!\/apply)/i, 'suggestions'],
  [/\bProposals\b|\b[Pp]roposal\b/, 'suggestions'],
  [/\bWhat agents are told\b(?! when)/, 'Wake-up'],
  [/\bRuns and health\b/, 'Health'],
  [/\bview(?:=|: ')(?:browse|told|proposals)\b/, 'sources, wake-up, suggestions'],
  [/(?<![-<`_]|")\bharness(?:es)?\b(?![>`_]|")/i, 'agent, or program', READ],
];

it.each(FORMER)('%s is not said any more: %s', (former, _, places = [...READ, ...PAGE]) => {
  const said = places.flatMap((name) => {
    const text = readFileSync(join(ROOT, name), 'utf8').replace(/^## Former names\n[\s\S]*?(?=^## )/m, '');
    return text.split('\n').flatMap((line) => (former.test(line) ? [`${name}: ${line.trim()}`] : []));
  });
  expect(said).toEqual([]);
});

it('all pages are looked at', () => {
  expect([READ.length > 30, PAGE.length > 30]).toEqual([true, true]);
});
