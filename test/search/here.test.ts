import { describe, expect, it } from 'vitest';
import { projectsAround, type SearchOptions, search } from '../../src/search/index.js';
import type { Palace, ProjectPlace } from '../../src/store/index.js';
import { countingEmbedder } from '../support/embedder.js';
import { fileTexts, temporaryPalace } from '../support/palace.js';

const filed = [
  { id: 'shop', root: '/work/shop', rootCommit: null, wing: 'wing_shop', folder: 'shop' },
  { id: 'cart', root: '/work/shop/parts/cart', rootCommit: null, wing: 'wing_cart', folder: 'cart' },
  { id: 'bank', root: '/work/bank', rootCommit: null, wing: 'wing_bank', folder: 'bank' },
];
const at = (folder: string, worktree?: { root: string; main: string }) => ({ folder, worktree });

describe('the projects around folders', () => {
  it.each([
    ['/work/shop', 'shop'],
    ['/work/shop/docs/a', 'shop'],
    ['/work/shop/parts/cart/src', 'cart'],
    ['/work/shop/parts/cartoon', 'shop'],
    ['/work/shopping', undefined],
    ['/work', undefined],
  ])('are those with the longest root: %s', (folder, id) => {
    expect(projectsAround(filed, [at(folder)]).map((place) => place.id)).toEqual(
      id === undefined ? [] : [id],
    );
  });

  it('are those of the main checkout in a worktree that is not filed, with the folder of its sessions', () => {
    const worktree = { root: '/tmp/fix', main: '/work/shop' };
    expect(projectsAround(filed, [at('/tmp/fix/docs', worktree)])).toEqual([
      { id: 'shop', wing: 'wing_shop', folders: ['/work/shop', '/tmp/fix'] },
    ]);
    expect(projectsAround(filed, [at('/tmp/fix/parts/cart', worktree)])).toEqual([
      { id: 'cart', wing: 'wing_cart', folders: ['/work/shop/parts/cart', '/tmp/fix/parts/cart'] },
    ]);
    const own = { id: 'fix', root: '/tmp/fix', rootCommit: null, wing: 'wing_fix', folder: 'fix' };
    expect(projectsAround([...filed, own], [at('/tmp/fix/docs', worktree)])).toEqual([
      { id: 'fix', wing: 'wing_fix', folders: ['/tmp/fix'] },
    ]);
  });

  it('are named once for several folders', () => {
    const places = projectsAround(filed, [
      at('/work/shop/a'),
      at('/work/shop/b'),
      at('/work/bank'),
      at('/x'),
    ]);
    expect(places.map(({ id }) => id)).toEqual(['shop', 'bank']);
  });
});

const SHOP: ProjectPlace = { id: 'shop', wing: 'wing_shop', folders: ['/work/shop'] };
const settings = { embedder: undefined, question: 'how are prices rounded', limit: 10, now: 0 };

/** The same text in two projects; sessions of both; what an agent wrote; and 80 better matches elsewhere. */
function twoProjects(): Palace {
  const palace = temporaryPalace();
  for (const project of filed) palace.projects.put(project, project.wing);
  const ofBank = { projectId: 'bank', wing: 'wing_bank' };
  fileTexts(palace, 'doc:bank/money.md', ['prices are rounded once, on the total'], ofBank);
  const ofShop = { projectId: 'shop', wing: 'wing_shop' };
  fileTexts(palace, 'doc:shop/money.md', ['prices are rounded once, on the total'], ofShop);
  fileTexts(palace, 'drawer:1/drawer.md', ['prices decided: rounded up'], { wing: 'wing_shop' });
  for (const [key, directory] of [
    ['session:in', '/work/shop/web'],
    ['session:near', '/work/shopping'],
  ] as const)
    fileTexts(palace, key, [`prices of ${directory} are rounded`], { kind: 'conversation', directory });
  return palace;
}

const hitsOf = async (options: SearchOptions) => (await search(options)).hits;
const keysOf = (hits: Awaited<ReturnType<typeof hitsOf>>) => hits.map(({ drawer }) => drawer.sourceKey);

describe('a preferred project', () => {
  it('is first among equals, and the score says so', async () => {
    const palace = twoProjects();
    const alike = await hitsOf({ ...settings, palace });
    const equals = (hits: typeof alike) => keysOf(hits).filter((key) => key.endsWith('/money.md'));
    expect(equals(alike)).toEqual(['doc:bank/money.md', 'doc:shop/money.md']);
    expect(alike.every(({ scores }) => scores.here === 0)).toBe(true);
    const preferring = await hitsOf({ ...settings, palace, preferred: [SHOP] });
    expect(equals(preferring)).toEqual(['doc:shop/money.md', 'doc:bank/money.md']);
    expect(keysOf(preferring).sort()).toEqual(keysOf(alike).sort());
    for (const { drawer, score, scores } of preferring) {
      const before = alike.find((hit) => hit.drawer.id === drawer.id);
      expect(scores).toEqual({ ...before?.scores, here: scores.here });
      if (scores.here === 0) expect(score).toBe(before?.score);
      else expect(score).toBeGreaterThan(before?.score ?? 1);
      expect(score).toBeLessThanOrEqual(1);
    }
    const here = preferring.filter(({ scores }) => scores.here === 1);
    expect(keysOf(here).sort()).toEqual(['doc:shop/money.md', 'drawer:1/drawer.md', 'session:in']);
  });

  it('restricts a search, with the other filters', async () => {
    const palace = twoProjects();
    const hits = await hitsOf({ ...settings, palace, filter: { projects: [SHOP] } });
    expect(keysOf(hits).sort()).toEqual(['doc:shop/money.md', 'drawer:1/drawer.md', 'session:in']);
    const both = { projects: [SHOP], directory: '/work/shop/web' };
    expect(keysOf(await hitsOf({ ...settings, palace, filter: both }))).toEqual(['session:in']);
    expect(await hitsOf({ ...settings, palace, filter: { projects: [], wing: 'wing_shop' } })).toEqual([]);
  });

  it('does not lose a much better match elsewhere', async () => {
    const palace = twoProjects();
    fileTexts(palace, 'doc:bank/exact.md', ['how are prices rounded? how are prices rounded: never'], {
      projectId: 'bank',
      wing: 'wing_bank',
    });
    fileTexts(palace, 'doc:shop/weak.md', ['an unrelated text about prices of coffee'], {
      projectId: 'shop',
    });
    palace.remove(palace.sources.byKey('doc:shop/money.md')?.id ?? 0);
    expect(keysOf(await hitsOf({ ...settings, palace, preferred: [SHOP] }))[0]).toBe('doc:bank/exact.md');
  });

  it('is found although others fill all places of the candidates', async () => {
    const palace = twoProjects();
    for (let i = 0; i < 120; i += 1)
      fileTexts(palace, `doc:bank/${i}.md`, [`prices ${i}`, `filler ${i} ${'x '.repeat(i % 7)}`], {
        projectId: 'bank',
        wing: 'wing_bank',
      });
    fileTexts(palace, 'doc:shop/long.md', ['prices in short, and so on'], {
      projectId: 'shop',
      wing: 'wing_shop',
    });
    const question = 'prices';
    const options = { ...settings, embedder: countingEmbedder(), question, palace, limit: 45 };
    expect(keysOf(await hitsOf(options))).not.toContain('doc:shop/long.md');
    const preferring = keysOf(await hitsOf({ ...options, preferred: [SHOP] }));
    expect(preferring).toContain('doc:shop/long.md');
    expect(new Set(preferring).size).toBe(preferring.length);
  });
});
