import { existsSync, readFileSync } from 'node:fs';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { findBySecretlint, sourceOf, TRIGGERS, triggersIn } from '../../src/sanitiser/secretlint.js';
import { BY_SECRETLINT, HEX, random } from './secrets.js';

const labelled = new URL('../../../shared/data/secrets-dev.jsonl', import.meta.url);
const Row = z.object({
  id: z.string(),
  content_base64: z.string(),
  expected: z.array(z.object({ range: z.tuple([z.number(), z.number()]) })).optional(),
});

function readLabelled() {
  const rows = readFileSync(labelled, 'utf8').trim().split('\n');
  return rows.map((row) => {
    const { id, content_base64, expected } = Row.parse(JSON.parse(row));
    return {
      id,
      text: Buffer.from(content_base64, 'base64').toString(),
      ranges: (expected ?? []).map((e) => e.range),
    };
  });
}

describe('the test that skips secretlint for a text', () => {
  it('knows every rule of the preset', () => {
    expect(rules.map((rule) => rule.meta.id).sort()).toEqual(Object.keys(TRIGGERS).sort());
  });

  it('covers each rule: a report of the rule implies its trigger', async () => {
    const asked = Object.entries(TRIGGERS).filter(([, trigger]) => trigger !== null);
    expect(asked.map(([id]) => id.replace('@secretlint/secretlint-rule-', '')).sort()).toEqual(
      Object.keys(BY_SECRETLINT).sort(),
    );
    for (const [id] of asked) {
      const [secret] = BY_SECRETLINT[id.replace('@secretlint/secretlint-rule-', '')] ?? [''];
      expect(triggersIn(`x ${secret}`), id).not.toEqual([]);
      expect(await findBySecretlint(secret), id).not.toEqual([]);
    }
  });

  it('never skips a text in which a rule reports something', async () => {
    const pieces = Object.values(BY_SECRETLINT).flatMap(([secret]) => [
      secret,
      secret.toUpperCase(),
      secret.slice(3),
    ]);
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom(...pieces),
          fc.constantFrom(' ', '\n', '_', 'account_id => ', '1234-5678-9012'),
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        if (triggersIn(content).length === 0) expect(await reportsWithoutTriggers(content)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it.skipIf(!existsSync(labelled))('never skips a labelled secret (needs ../shared)', async () => {
    for (const { id, text } of readLabelled()) {
      if (triggersIn(text).length === 0) expect(await reportsWithoutTriggers(text), id).toBe(0);
    }
  });
});

it('many secrets on one line are found in blocks: none is lost or cut at a border', async () => {
  const tokens = Array.from({ length: 4_000 }, () => `da${'pi'}${random(32, HEX)}`);
  const found = await findBySecretlint(tokens.join(' '));
  const places = [...new Set(found.map(({ start, end }) => `${start}-${end}`))];
  expect(places).toEqual(tokens.map((token, index) => `${index * 37}-${index * 37 + token.length}`));
});

describe('recall', () => {
  it.skipIf(!existsSync(labelled))('at least 95 % of the labelled secrets (needs ../shared)', async () => {
    const sanitiser = await createSanitiser({ redact: true });
    let expected = 0;
    let found = 0;
    for (const { text, ranges } of readLabelled()) {
      const { text: cleaned } = await sanitiser.clean(text);
      for (const range of ranges) {
        expected++;
        if (!cleaned.includes(text.slice(...range))) found++;
      }
    }
    expect(expected).toBeGreaterThan(50);
    expect(found / expected).toBeGreaterThanOrEqual(0.95);
  });
});

/** Number of reports of the preset's rules without triggers. */
async function reportsWithoutTriggers(content: string): Promise<number> {
  let reports = 0;
  for (const rule of rules) {
    if (TRIGGERS[rule.meta.id] === null) continue;
    const handler = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
        ignore: () => undefined,
        report: () => {
          reports++;
        },
      },
      { enableIDScanRule: true },
    );
    await handler.file?.(sourceOf(content));
  }
  return reports;
}
