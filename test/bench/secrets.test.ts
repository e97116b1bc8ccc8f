import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { z } from 'zod';

const Report = z.object({
  own: z.object({
    secrets: z.number(),
    kinds: z.number(),
    hard: z.number(),
    recall: z.number(),
    precision: z.number(),
    wrong: z.array(z.unknown()),
  }),
});

it('finds all secrets of our own labelled set, and nothing else (needs a build)', async () => {
  const bench = fileURLToPath(new URL('../../bench/secrets.mjs', import.meta.url));
  const { stdout } = await execa(process.execPath, [bench, '--quick', '--json'], { reject: false });
  const { own } = Report.parse(JSON.parse(stdout));
  expect(own.secrets).toBeGreaterThan(300);
  expect(own.kinds).toBeGreaterThan(150);
  expect(own.hard).toBeGreaterThan(200);
  expect(own.recall).toBeGreaterThanOrEqual(0.97);
  expect(own.precision).toBeGreaterThanOrEqual(0.99);
});
