import { describe, expect } from 'vitest';
import { PieceBuilder } from '../../src/miner/pieces.js';
import { linksOf, treeOf } from '../../src/search/index.js';
import type { Palace } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { fileTexts } from '../support/palace.js';

/** Documents of a project, with the whole text as the miner stores it. */
async function documents(palace: Palace, files: Record<string, string>): Promise<void> {
  palace.projects.put({ id: 'p', root: '/p', rootCommit: null, folder: 'p' }, 'wing_a');
  for (const [path, text] of Object.entries(files)) {
    fileTexts(palace, `doc:p/${path}`, [text], { projectId: 'p', place: path });
    const builder = new PieceBuilder();
    await builder.add(text);
    palace.sources.putText(sourceOf(palace, `doc:p/${path}`).id, await builder.finish());
  }
}

function session(palace: Palace, sourceKey: string, came: { standsIn?: string[]; parentKey?: string } = {}) {
  const changes = { kind: 'conversation', projectId: null, sessionId: sourceKey, standsIn: [] } as const;
  fileTexts(palace, sourceKey, [`words of ${sourceKey}`], { ...changes, ...came });
}

const sourceOf = (palace: Palace, key: string) => {
  const source = palace.sources.byKey(key);
  if (source === undefined) throw new Error(`${key} is not filed`);
  return source;
};

function links(palace: Palace, path: string) {
  const { to, from } = linksOf(palace, sourceOf(palace, `doc:p/${path}`));
  const shown = ({ source, link, line }: (typeof to)[number]) => [source.sourceKey.slice(6), link, line];
  return { to: to.map(shown), from: from.map(shown) };
}

describe('links of a document', () => {
  it('lead out and in, by name and by path of Markdown, each once, with their lines', async ({ palace }) => {
    await documents(palace, {
      'docs/start.md':
        '# Start\n\nSee [[rounding]] and [it](rounding.md#up "again").\n\n[top](../top.md) [far](<far%20away.md>)\n',
      'docs/rounding.md': 'Up.\n\n[back](./start.md)\n',
      'docs/far away.md': 'Far.\n',
      'top.md': '[the start](docs/start.md)\n',
    });
    expect(links(palace, 'docs/start.md')).toEqual({
      to: [
        ['docs/rounding.md', 'rounding', 3],
        ['top.md', '../top.md', 5],
        ['docs/far away.md', './far away.md', 5],
      ],
      from: [
        ['docs/rounding.md', './start.md', 3],
        ['top.md', './docs/start.md', 1],
      ],
    });
  });

  it('are found in all forms in which people write them, and not in code', async ({ palace }) => {
    await documents(palace, {
      'Graph View.md': '---\naliases: [GV two]\n---\n# Graph View\n\nThe graph.\n',
      'plain.md': '[[Graph View]]\n',
      'angle.md': 'See [pic](<Graph View.md>).\n',
      'table.md': '| a | b |\n| - | - |\n| [[Graph View\\|the graph]] | x |\n',
      'alias.md': 'See [[gv TWO|it]].\n',
      'reference.md': 'See [it][g].\n\n[g]: <./Graph View.md> "t"\n',
      'encoded.md': '[g]: Graph%20View.md\n',
      'html.md': '<a class="x" href="Graph View.md">it</a>\n',
      'image.md': "<img src='./Graph%20View.md'>\n",
      'code.md': '```\n[[Graph View]]\n<a href="Graph View.md">\n```\n',
      'web.md': '<a href="https://example.org/Graph View.md">it</a>\n',
    });
    const { from } = links(palace, 'Graph View.md');
    const all = ['alias', 'angle', 'encoded', 'html', 'image', 'plain', 'reference', 'table'];
    expect(from.map(([place]) => place)).toEqual(all.map((name) => `${name}.md`));
    expect(links(palace, 'alias.md').to).toEqual([['Graph View.md', 'gv TWO', 1]]);
  });

  it('lead in under another case, under a title, and percent-encoded', async ({ palace }) => {
    await documents(palace, {
      'Rounding Rules.md': 'Up.\n',
      'über.md': 'Over.\n',
      'plain.md': 'Plain.\n',
      'a.md': '[a](Rounding%20Rules.md) [b](%C3%BCber.md) [c](PLAIN.md)\n',
      'b.md': '[[rounding rules]] [[Über]] [[Plain]]\n',
      'c.md': 'plain words about rounding rules and über, without a link [x](nowhere.md)\n',
    });
    for (const path of ['Rounding Rules.md', 'über.md', 'plain.md'])
      expect(links(palace, path).from.map(([from]) => from)).toEqual(['a.md', 'b.md']);
  });

  it('are not addresses of the web, places in the document, code, itself, or paths to where no document is', async ({
    palace,
  }) => {
    await documents(palace, {
      'start.md':
        '[web](https://example.org/other.md) [mail](mailto:a@b) [up](#other) [me](start.md) `[x](other.md)`\n\n```\n[x](other.md)\n```\n\n[gone](other.md)\n',
      'sub/other.md': 'Other.\n',
    });
    expect(links(palace, 'start.md')).toEqual({ to: [], from: [] });
    expect(links(palace, 'sub/other.md')).toEqual({ to: [], from: [] });
  });
});

describe('the tree of a session', () => {
  const shown = (palace: Palace, key: string) =>
    treeOf(palace, sourceOf(palace, key)).map(({ source, relation, ofKey }) => [
      source.sourceKey,
      relation,
      ofKey,
    ]);

  it('is the same from each of its sessions: sub-agents by key or by record, and forks', ({ palace }) => {
    session(palace, 'c:one');
    session(palace, 'c:one/agent-a');
    session(palace, 'c:fork', { standsIn: ['c:one'] });
    session(palace, 'c:helper', { parentKey: 'c:fork' });
    session(palace, 'c:one2');
    fileTexts(palace, 'checkpoint:c:one/1', ['where it stood'], { sessionId: 'c:one' });
    const tree = [
      ['c:one', null, null],
      ['c:fork', 'fork', 'c:one'],
      ['c:helper', 'sub-agent', 'c:fork'],
      ['c:one/agent-a', 'sub-agent', 'c:one'],
    ];
    for (const [key] of tree) expect([key, shown(palace, String(key))]).toEqual([key, tree]);
    expect(shown(palace, 'c:one2')).toEqual([]);
  });

  it('is recorded again by a run, kept by what files a text alone, and ends with the session', ({
    palace,
  }) => {
    session(palace, 'c:one');
    session(palace, 'c:fork', { standsIn: ['c:one', 'c:gone'] });
    fileTexts(palace, 'c:fork', ['scrubbed'], { kind: 'conversation', sessionId: 'c:fork', projectId: null });
    expect(shown(palace, 'c:one')).toHaveLength(2);
    session(palace, 'c:fork');
    expect(shown(palace, 'c:one')).toEqual([]);
    session(palace, 'c:fork', { standsIn: ['c:one'] });
    palace.remove(sourceOf(palace, 'c:fork').id);
    expect(shown(palace, 'c:one')).toEqual([]);
  });

  it('ends where two sessions came from each other', ({ palace }) => {
    session(palace, 'c:one', { standsIn: ['c:two'] });
    session(palace, 'c:two', { standsIn: ['c:one'] });
    expect(shown(palace, 'c:one')).toHaveLength(2);
  });
});
