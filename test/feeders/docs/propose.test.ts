import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProjectConfig } from '../../../src/feeders/docs/config.js';
import { type Proposal, proposeRooms } from '../../../src/feeders/docs/propose.js';
import { configText, writeProjectConfig } from '../../../src/feeders/docs/write-config.js';
import { makeTree, survey } from './support.js';

/** Proposes for a tree, writes and reads the proposal, and files with it. */
async function initialised(files: Record<string, string>): Promise<Proposal> {
  const root = makeTree({ '.git/': '', ...files });
  const { documents } = await survey(root);
  const proposal = proposeRooms(documents);
  expect(writeProjectConfig(root, configText('wing_x', proposal.rooms))).toBe(true);
  const config = await readProjectConfig(root);
  expect(config).toEqual({
    sha256: expect.any(String),
    wing: 'wing_x',
    rooms: proposal.rooms.map(({ name, description, keywords }) => ({ name, description, keywords })),
    includePatterns: [],
    excludePatterns: [],
    priorities: [],
  });
  const counts = new Map<string, number>();
  for (const { room } of (await survey(root, { config })).documents)
    counts.set(room, (counts.get(room) ?? 0) + 1);
  const proposed = [...proposal.rooms, ...proposal.others].map(
    ({ name, documents: n }) => [name, n] as const,
  );
  expect(counts).toEqual(new Map(proposed));
  return proposal;
}

const names = ({ rooms }: Proposal) => rooms.map(({ name, documents }) => `${name} ${documents}`);

describe('a proposal', () => {
  it('makes rooms from the meaning of folders, not from their position', async () => {
    const proposal = await initialised({
      'README.md': '# Shop',
      'docs/billing/README.md': '---\nx: 1\n---\n\n# How money moves #\n\ntext',
      'docs/billing/tax.md': 'x',
      'docs/overview.md': 'x',
      'packages/cart/README.md': '# Cart',
      'packages/cart/docs/api.md': 'x',
      'packages/tiny/README.md': 'x',
    });
    expect(names(proposal)).toEqual(['billing 2', 'cart 2']);
    expect(proposal.rooms.map(({ description }) => description)).toEqual(['How money moves', 'Cart']);
    expect(proposal.others).toEqual([
      { name: 'docs', documents: 1 },
      { name: 'general', documents: 1 },
      { name: 'packages', documents: 1 },
    ]);
  });

  it('combines folders of one topic under one name', async () => {
    const { rooms } = await initialised({
      'docs/adr/0001.md': 'x',
      'docs/ADRs/0002.md': 'x',
      'rfcs/1.md': 'x',
      'ops/a.md': 'x',
      'infra/b.md': 'x',
    });
    expect(rooms).toEqual([
      { name: 'decisions', description: undefined, keywords: ['ADRs', 'adr', 'rfcs'], documents: 3 },
      { name: 'operations', description: undefined, keywords: ['infra', 'ops'], documents: 2 },
    ]);
  });

  it('of a flat or empty project has only a wing', async () => {
    expect(await initialised({ 'a.md': 'x', 'b.md': 'x' })).toMatchObject({ rooms: [] });
    expect(await initialised({})).toEqual({ rooms: [], others: [] });
  });

  it('is not longer than a page', async () => {
    const files = Array.from({ length: 60 }, (_, i) => [`topic${i % 30}/n${i}.md`, 'x'] as const);
    expect((await initialised(Object.fromEntries(files))).rooms).toHaveLength(20);
  });

  it('can be read back unchanged, with any folder names', async () => {
    const folder = fc.oneof(
      fc.constantFrom(
        'docs',
        'API',
        'Ops',
        'true',
        '2024',
        '- a',
        'a: b',
        '#x',
        "it's",
        '"q"',
        '数据',
        '~',
        'null',
      ),
      fc.stringMatching(/^[a-zäß *&!%@?|>-]{1,12}$/).filter((name) => name.trim() === name && name !== ''),
    );
    const tree = fc.array(fc.array(folder, { minLength: 0, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(tree, async (paths) => {
        const files = paths.flatMap((path, i) => [
          [[...path, `n${i}.md`].join('/'), 'x'],
          [[...path, `m${i}.md`].join('/'), 'x'],
        ]);
        await initialised(Object.fromEntries(files));
      }),
      { numRuns: 15 },
    );
  });
});

describe('writing a mempalace.yaml', () => {
  it('never overwrites a file or a link, and leaves no other file', () => {
    const root = makeTree({ 'mempalace.yaml': 'wing: mine\n' });
    expect(writeProjectConfig(root, 'wing: other\n')).toBe(false);
    expect(readFileSync(join(root, 'mempalace.yaml'), 'utf8')).toBe('wing: mine\n');
    const linked = makeTree({});
    symlinkSync('/nowhere/at/all', join(linked, 'mempalace.yaml'));
    expect(writeProjectConfig(linked, 'wing: other\n')).toBe(false);
    expect(lstatSync(join(linked, 'mempalace.yaml')).isSymbolicLink()).toBe(true);
    expect([readdirSync(root), readdirSync(linked)]).toEqual([['mempalace.yaml'], ['mempalace.yaml']]);
    expect(existsSync('/nowhere')).toBe(false);
  });
});
