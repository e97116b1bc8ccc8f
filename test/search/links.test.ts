import { describe, expect } from 'vitest';
import { linkedFrom, search } from '../../src/search/index.js';
import type { DrawerFilter, Palace } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { fileTexts, temporaryPalace } from '../support/palace.js';

const PROJECT = { id: 'p', root: '/p', rootCommit: null, folder: 'p' };

/** Documents of a project, with the whole text as the miner stores it. */
function documents(palace: Palace, files: Record<string, string>, project = 'p', changes: object = {}): void {
  palace.projects.put({ ...PROJECT, id: project, root: `/${project}` }, 'wing_a');
  for (const [path, text] of Object.entries(files))
    fileTexts(palace, `doc:${project}/${path}`, [text], { projectId: project, place: path, ...changes });
}

async function linked(
  palace: Palace,
  question: string,
  { limit = 5, filter }: { limit?: number; filter?: DrawerFilter } = {},
) {
  const { hits } = await search({ palace, embedder: undefined, question, limit: 1 });
  return linkedFrom(palace, hits, { limit, filter }).map(({ drawer, link }) => [link, drawer.place]);
}

describe('[[links]] of hits', () => {
  it('link to documents of the project by name, path, title, heading and label, each once', async ({
    palace,
  }) => {
    documents(palace, {
      'docs/start.md':
        'zebra: see [[Rounding]], [[docs/money|how]], [[handbook#prices]], ![[./near]], [[../top]], [[The Plan]], [[rounding.md]]',
      'docs/rounding.md': 'up',
      'docs/money.md': 'cents',
      'guide/handbook.md': 'rules',
      'docs/near.txt': 'near',
      'top.md': 'top',
    });
    documents(palace, { 'x/1.md': 'plan' }, 'p', { title: 'The  Plan'.replace('  ', ' ') });
    expect(await linked(palace, 'zebra', { limit: 9 })).toEqual([
      ['Rounding', 'docs/rounding.md'],
      ['docs/money', 'docs/money.md'],
      ['handbook#prices', 'guide/handbook.md'],
      ['./near', 'docs/near.txt'],
      ['../top', 'top.md'],
      ['The Plan', 'x/1.md'],
    ]);
    expect(await linked(palace, 'zebra', { limit: 2 })).toHaveLength(2);
  });

  it('as HTML and Markdown may write paths; code in any number of backticks is ignored', async ({
    palace,
  }) => {
    documents(palace, {
      'start.md': 'zebra <a href=bare.md>x</a> [y](notes_(old).md) ``[z](`code`.md) [[code]]``',
      'bare.md': 'bare',
      'notes_(old).md': 'old',
      'code.md': 'code',
    });
    const places = (await linked(palace, 'zebra')).map(([, place]) => place);
    expect(places.sort()).toEqual(['bare.md', 'notes_(old).md']);
  });

  it.each([
    ['[g]:\n  a%20b.md', true],
    ['> [g]: a%20b.md', true],
    ['<iframe src="a%20b.md"></iframe>', true],
    ['<a href="a&#32;b.md">x</a>', true],
    ['[x](a%20b.md?plain=1#part)', true],
    ['[x](a\\ b.md) [y](<a\\ b.md>)', false],
    ['- ```\n  x\n  ```\n- [[a b]]', true],
    ['1. one\n\n    [[a b]]', true],
    ['\\[[a b]]', false],
    ['<!-- [[a b]] -->', false],
    ['<pre>[[a b]]</pre> <code>[[a b]]</code>', false],
    ['> ```\n> [[a b]]\n> ```', false],
    ['> ```\n> x\n\n[[a b]]', true],
    ['- ```\n  [[a b]]\n  ```', false],
    ['`one\n[[a b]] two`', false],
    ['text\n\n    [[a b]]\n', false],
  ])('as Markdown reads them: %j', async (text, isLink) => {
    const palace = temporaryPalace();
    documents(palace, { 'start.md': `zebra\n\n${text}`, 'a b.md': 'ab', 'C#.md': 'c' });
    expect(await linked(palace, 'zebra')).toHaveLength(isLink ? 1 : 0);
  });

  it('lead to a name with a # that is encoded', async ({ palace }) => {
    documents(palace, { 'start.md': 'zebra [x](C%23.md#part)', 'C#.md': 'c' });
    expect((await linked(palace, 'zebra')).map(([, place]) => place)).toEqual(['C#.md']);
  });

  it('link to the nearest of several documents; unknown names, the document itself and code are ignored', async ({
    palace,
  }) => {
    documents(palace, {
      'a/b/start.md':
        'zebra [[notes]] [[nobody]] [[start]] `[[code]]`\n\n```\n[[fenced]]\n```\n\n[[]] [[ ]] a[[0]]',
      'notes.md': 'far',
      'a/notes.md': 'nearer',
      'c/notes.md': 'elsewhere',
      'code.md': 'code',
      'fenced.md': 'fenced',
    });
    expect(await linked(palace, 'zebra')).toEqual([['notes', 'a/notes.md']]);
  });

  it('stay in the project, and within the filter of the search', async ({ palace }) => {
    documents(palace, { 'start.md': 'zebra [[one]] [[two]]', 'one.md': 'one' });
    documents(palace, { 'two.md': 'two' }, 'q');
    expect(await linked(palace, 'zebra')).toEqual([['one', 'one.md']]);
    expect(await linked(palace, 'zebra', { filter: { room: 'elsewhere' } })).toEqual([]);
  });

  it('of a document without a project are ignored', async ({ palace }) => {
    fileTexts(palace, 'opencode:s', ['zebra [[one]]'], { kind: 'conversation', sessionId: 's' });
    documents(palace, { 'one.md': 'one' });
    expect(await linked(palace, 'zebra')).toEqual([]);
  });
});
