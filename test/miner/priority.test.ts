import { describe, expect } from 'vitest';
import type { Priority } from '../../src/core/importance.js';
import { countingEmbedder } from '../support/embedder.js';
import { it } from '../support/it.js';
import { mined } from '../support/mining.js';
import { documentBatch } from '../support/staged.js';

const TEXT = '# One\n\nThe first document says enough to be kept.\n';

describe('the priority of a source', () => {
  it('is filed, and a change takes effect without writing drawers or embedding texts', async ({
    palace,
    folder,
  }) => {
    const embedder = countingEmbedder();
    const run = async (priority: Priority | undefined) => {
      const batch = documentBatch(folder, { 'a.md': TEXT });
      for (const source of batch.sources) source.priority = priority;
      return mined(palace, batch, { counting: embedder });
    };
    const filed = () => palace.sources.byKey('doc:p1/a.md');
    expect(await run('high')).toMatchObject({ new: 1, drawersAdded: 1, embedded: 1 });
    expect(filed()?.priority).toBe('high');
    expect(palace.reading.drawersById([1])[0]).toMatchObject({ priority: 'high', pinned: 0 });

    for (const priority of ['low', undefined, 'medium'] as const) {
      expect(await run(priority)).toMatchObject({
        unchanged: 1,
        changed: 0,
        moved: 0,
        drawersAdded: 0,
        embedded: 0,
      });
      expect(filed()?.priority).toBe(priority ?? null);
    }
    expect(embedder.texts).toHaveLength(1);
    expect(palace.reading.drawersById([1])[0]?.text).toBe(TEXT);
  });
});
