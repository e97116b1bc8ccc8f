import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Palace } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { mined } from '../support/mining.js';
import { temporaryFolder, temporaryPalace } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';
import { documentBatch } from '../support/staged.js';

const PARTS = ['alpha', 'beta', 'gamma', 'delta'].map(
  (name) => `## ${name}\n\n${`${name} words. `.repeat(45)}\n\n`,
);

const file = (
  palace: Palace,
  folder: string,
  documents: Record<string, string>,
  options: { wing: string; force: boolean },
) =>
  mined(palace, documentBatch(folder, documents, { wing: options.wing }), {
    force: options.force,
    allowRemovals: true,
  });

it('after any changes of a project, its palace equals that of a machine that files it for the first time', async () => {
  const name = fc.constantFrom('a.md', 'b.md', 'c/d.md');
  // Texts share parts, move between documents, occur twice in one, and become empty.
  const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 4 }).map((parts) => parts.join(''));
  const state = fc.record({
    documents: fc.dictionary(name, text, { maxKeys: 3 }),
    wing: fc.constantFrom('wing_a', 'wing_b'),
    force: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 6 }), async (states) => {
      const palace = temporaryPalace();
      const folder = temporaryFolder();
      for (const [index, { documents, wing, force }] of states.entries()) {
        await file(palace, folder, documents, { wing, force });
        if (index % 2 === 1) palace.vectors.compact(true);
        expect(problemsIn(palace)).toEqual([]);
        for (const [path, whole] of Object.entries(documents)) {
          const source = palace.sources.byKey(`doc:p1/${path}`);
          expect(palace.drawers.textsOf(source?.id ?? 0).join('')).toBe(whole);
        }
      }
      const last = states.at(-1);
      if (last === undefined) return;
      const fresh = temporaryPalace();
      await file(fresh, folder, last.documents, { ...last, force: false });
      const [been, is] = [contentOf(palace.folder), contentOf(fresh.folder)];
      // A palace that never filed a document does not contain the wing.
      if (Object.keys(last.documents).length > 0) expect(been).toEqual(is);
      palace.close();
      fresh.close();
    }),
    { numRuns: 12 },
  );
});
