import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { modelById } from '../../src/embedding/index.js';
import { Palace } from '../../src/store/index.js';
import { tinyModel } from '../embedding/models/tiny-models.js';
import { fileTexts, filingOf, hashOf, temporaryPalace } from './palace.js';

/** A model with prefixes. */
export const E5 = 'multilingual-e5-small';

/** The files of a small model with the architecture, tokenizer and prefixes of E5, as on a USB drive. */
export function writeStick(folder: string): string {
  for (const [name, bytes] of Object.entries(tinyModel(E5).contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

/** A palace of many texts with generated vectors of the embedded model, for a change to another model. */
export function madeUpPalace(folder: string, count: number): void {
  const palace = Palace.write(folder, modelById('use-lite'));
  const id = palace.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  const texts = Array.from({ length: count }, (_, i) => `The ${i % 9 ? 'otter' : 'heron'} passed mile ${i}.`);
  const embedding = new Float32Array(512).fill(Math.sqrt(1 / 512));
  palace.vectors.keep(
    texts.map((text) => ({ hash: hashOf(text), embedding })),
    palace.model,
  );
  palace.transaction(() => {
    for (let at = 0; at < count; at += 50)
      palace.file(filingOf(`doc:p/${at}.md`, texts.slice(at, at + 50)), { id, now: '2026-01-02' });
  });
  palace.close();
}

/** A palace of this number of sources, with `tag` in each drawer, large enough for a kill. */
export function bulkPalace(folder: string, tag: string, sources: number, texts = 40): void {
  const palace = temporaryPalace(folder);
  palace.transaction(() => {
    for (let i = 0; i < sources; i += 1)
      fileTexts(
        palace,
        `doc:p/${tag}${i}.md`,
        Array.from({ length: texts }, (_, n) => `${tag} ${i} ${n} ${'filler '.repeat(60)}`),
        { origin: `/p/${tag}${i}.md` },
      );
  });
  palace.close();
}
