import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  addFact,
  exportFacts,
  type FactInput,
  factTimeline,
  findUncleanFacts,
  graphStats,
  holdsAt,
  importFacts,
  invalidateFact,
  parseFactsFile,
  queryFacts,
  rewordFacts,
  supersedeFact,
} from '../../../src/knowledge/facts/index.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import type { Fact, Palace } from '../../../src/store/index.js';
import { drawerIds } from '../../support/drawers.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const SANITISER = createSanitiser({ redact: true });

async function tell(palace: Palace, text: string, more: Partial<FactInput> = {}, now = NOW) {
  const [subject = '', predicate = '', ...object] = text.split(' ');
  const telling = { sanitiser: await SANITISER, addedBy: 'test', now };
  return addFact(palace, { subject, predicate, object: object.join(' '), ...more }, telling);
}

async function replace(palace: Palace, text: string, former?: string, valid_from?: string) {
  const [subject = '', predicate = '', object = ''] = text.split(' ');
  const telling = { sanitiser: await SANITISER, addedBy: 'test', now: NOW };
  return supersedeFact(palace, { subject, predicate, object, valid_from }, former, telling);
}

const said = ({ subject, predicate, object, valid_from, valid_to }: Fact) =>
  `${subject} ${predicate} ${object} [${valid_from ?? ''}, ${valid_to ?? ''})`;
const all = (palace: Palace, entity: string, as_of?: string) =>
  queryFacts(palace, { entity, as_of, limit: 100 }).facts.map(said);

describe('a fact', () => {
  it('is not duplicated while it is open, or with the same interval', async ({ palace }) => {
    const first = await tell(palace, 'Shop default_branch main', { valid_from: '2026-03-01' });
    expect(first).toMatchObject({ added: true, conflicts: [], redacted: {} });
    const again = await tell(palace, 'shop Default-Branch Main');
    expect(again).toMatchObject({ added: false, fact: { triple_id: first.fact.triple_id } });
    const once = { valid_from: '2025-01-01', valid_to: '2025-02-01' };
    expect((await tell(palace, 'shop default_branch main', once)).added).toBe(true);
    expect((await tell(palace, 'shop default_branch main', once)).added).toBe(false);
    invalidateFact(
      palace,
      { subject: 'shop', predicate: 'default_branch', object: 'main' },
      { at: '2026-04-01', now: NOW },
    );
    const repeated = await tell(palace, 'shop default_branch main', { valid_from: '2026-03-01' });
    expect(repeated.added).toBe(true);
    expect(repeated.fact.triple_id).not.toBe(first.fact.triple_id);
    expect(graphStats(palace, NOW)).toMatchObject({
      entities: 2,
      triples: 3,
      current_facts: 1,
      expired_facts: 2,
    });
    expect(problemsIn(palace)).toEqual([]);
  });

  it('ignores case and spaces of names, and shows their first spelling', async ({ palace }) => {
    await tell(palace, 'x knows y', { subject: 'User  A', object: 'O’Neil' });
    await tell(palace, 'x uses y', { subject: 'user_a', object: 'oneil' });
    expect(all(palace, 'USER A')).toEqual(['User A knows O’Neil [, )', 'User A uses O’Neil [, )']);
    expect(queryFacts(palace, { entity: "o'neil", direction: 'outgoing', limit: 9 })).toMatchObject({
      known: true,
      entity: 'O’Neil',
      facts: [],
    });
    expect(queryFacts(palace, { entity: 'nobody', limit: 9 })).toMatchObject({ known: false, total: 0 });
  });

  it.each<[string, Partial<FactInput>]>([
    ['subject is empty', { subject: " ' " }],
    ['object is longer than 500', { object: 'x'.repeat(501) }],
    ['subject contains a line break', { subject: 'a\nb' }],
    ['subject contains a line break or a control', { subject: 'a\0b' }],
    ['not a predicate', { predicate: 'a/b' }],
    ['not a predicate', { predicate: '' }],
    ['confidence is a number', { confidence: 1.5 }],
    ['confidence is a number', { confidence: Number.NaN }],
    ['would end (2026-03-01) before', { valid_from: '2026-03-02', valid_to: '2026-03-01' }],
    ['would end', { valid_from: '2026-03-01', valid_to: '2026-03-01T00:00:00Z' }],
    ['valid_to: not a moment', { valid_to: 'soon' }],
    ['at least 8 characters', { source_drawer_id: 'drawer_1' }],
    ['not a drawer id', { source_drawer_id: 'box_0123456789ab' }],
    ['has no drawer', { source_drawer_id: 'drawer_0123456789ab' }],
  ])('is refused: %s', async (message, input) => {
    const palace = temporaryPalace();
    await expect(tell(palace, 'a is b', input)).rejects.toThrow(message);
    expect(graphStats(palace, NOW)).toMatchObject({ entities: 0, triples: 0 });
  });

  it('redacts secrets in every field', async ({ palace }) => {
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const told = [
      await tell(palace, `shop password ${secret}`),
      await tell(palace, `password is ${secret}`),
      await tell(palace, `db access_key ${secret}`),
      await tell(palace, `shop note token=${secret}`, { source_file: `password: ${secret}` }),
    ];
    for (const { redacted } of told) expect(Object.keys(redacted).length).toBeGreaterThan(0);
    expect(JSON.stringify(exportFacts(palace, { made: NOW }))).not.toContain(secret);
    expect((await tell(palace, 'shop password_policy strict')).redacted).toEqual({});
  });
});

describe('changes of the graph', () => {
  it('are recorded in their own transactions, and nothing else is', async ({ palace }) => {
    let records = 0;
    const record = () => {
      records += 1;
    };
    const telling = { sanitiser: await SANITISER, addedBy: 'test', now: NOW, record };
    const words = { subject: 'shop', predicate: 'port', object: '443' };
    await addFact(palace, words, telling);
    await addFact(palace, words, telling);
    expect(records).toBe(1);
    invalidateFact(palace, { ...words, object: '80' }, telling);
    expect(records).toBe(1);
    await supersedeFact(palace, { ...words, object: '80' }, '443', telling);
    invalidateFact(palace, { ...words, object: '80' }, telling);
    expect(records).toBe(3);
    await importFacts(palace, exportFacts(palace, { made: NOW }).facts, telling);
    expect(records).toBe(3);
    // A change that cannot be recorded is not made.
    const broken = { ...telling, record: () => palace.runs.end(Number.NaN, null as never) };
    await expect(addFact(palace, { ...words, object: '8443' }, broken)).rejects.toThrow();
    expect(all(palace, 'shop').some((fact) => fact.includes('8443'))).toBe(false);
  });
});

describe('contradictions', () => {
  it('are reported for predicates with one value at a time, and both facts are kept', async ({ palace }) => {
    await tell(palace, 'shop port 443', { valid_to: '2026-05-01' });
    const { added, conflicts } = await tell(palace, 'shop port 8443', { valid_from: '2026-05-01' });
    expect([added, conflicts]).toEqual([true, []]);
    const third = await tell(palace, 'shop port 80', { valid_from: '2026-04-01' });
    expect(third.conflicts.map(({ object }) => object)).toEqual(['443', '8443']);
    expect((await tell(palace, 'shop port 80')).conflicts).toHaveLength(2);
    expect(graphStats(palace, NOW).conflicts).toEqual([
      { subject: 'shop', predicate: 'port', objects: ['8443', '80'] },
    ]);
  });

  it('are not reported for predicates with several values', async ({ palace }) => {
    await tell(palace, 'shop uses sqlite');
    expect((await tell(palace, 'shop uses redis')).conflicts).toEqual([]);
    expect(graphStats(palace, NOW).conflicts).toEqual([]);
  });
});

describe('ending', () => {
  const words = { subject: 'shop', predicate: 'port', object: '443' };

  it('ends an open fact, and lists other open facts when none matches', async ({ palace }) => {
    await tell(palace, 'shop port 443', { valid_from: '2026-01-01' });
    const { ended, at } = invalidateFact(palace, words, { at: undefined, now: NOW });
    expect([at, ended.map(said)]).toEqual([
      '2026-06-01T12:00:00Z',
      ['shop port 443 [2026-01-01, 2026-06-01T12:00:00Z)'],
    ]);
    expect(invalidateFact(palace, words, { now: NOW })).toMatchObject({ ended: [], open: [] });
    await tell(palace, 'shop port 80');
    const other = invalidateFact(palace, words, { now: NOW });
    expect(other).toMatchObject({ ended: [], open: [{ object: '80' }] });
    expect(() => invalidateFact(palace, { ...words, predicate: '' }, { now: NOW })).toThrow(/predicate/);
  });

  it('shortens a fact that ends later, and refuses one that has not begun', async ({ palace }) => {
    await tell(palace, 'shop port 443', { valid_from: '2026-02-01', valid_to: '2027-01-01' });
    expect(() => invalidateFact(palace, words, { at: '2026-01-31', now: NOW })).toThrow(/begins/);
    const { ended } = invalidateFact(palace, words, { at: '2026-03-01', now: NOW });
    expect(ended.map(said)).toEqual(['shop port 443 [2026-02-01, 2026-03-01)']);
  });

  it('at its beginning makes the fact empty', async ({ palace }) => {
    await tell(palace, 'shop port 443', { valid_from: '2026-02-01' });
    invalidateFact(palace, words, { at: '2026-02-01', now: NOW });
    for (const day of ['2026-01-31', '2026-02-01', '2026-02-02'])
      expect(all(palace, 'shop', day)).toEqual([]);
    expect((await tell(palace, 'shop port 80', { valid_from: '2026-01-01' })).conflicts).toEqual([]);
  });
});

describe('superseding', () => {
  it('leaves no gap if the successor begins later', async ({ palace }) => {
    await tell(palace, 'shop port 443', { valid_from: '2026-01-01' });
    await tell(palace, 'shop port 80', { valid_from: '2027-01-01' });
    const { added, fact, at } = await replace(palace, 'shop port 80', '443', '2026-03-01');
    expect([added, said(fact), at]).toEqual([true, 'shop port 80 [2026-03-01, 2027-01-01)', '2026-03-01']);
    for (const day of ['2026-03-01', '2026-12-31', '2027-01-01'])
      expect(all(palace, 'shop', day)).toEqual([expect.stringContaining('shop port 80 ')]);
  });

  it('leaves exactly one fact at every moment', async ({ palace }) => {
    await tell(palace, 'shop port p0', { valid_from: '2026-01-01' });
    const moments = ['2026-02-01', '2026-03-01T12:00:00Z', '2026-03-02'];
    for (const [index, at] of moments.entries()) {
      const done = await replace(
        palace,
        `shop port p${index + 1}`,
        index === 1 ? undefined : `p${index}`,
        at,
      );
      expect(done).toMatchObject({ at, added: true, conflicts: [], ended: [{ object: `p${index}` }] });
    }
    const day = fc.integer({ min: 0, max: 90 }).map((n) => new Date(Date.UTC(2026, 0, 1 + n)));
    fc.assert(
      fc.property(day, fc.boolean(), (date, asDay) => {
        const text = date.toISOString();
        expect(all(palace, 'shop', asDay ? text.slice(0, 10) : `${text.slice(0, 19)}Z`)).toHaveLength(1);
      }),
    );
    for (const [index, at] of moments.entries())
      expect(all(palace, 'shop', at)[0]).toContain(`port p${index + 1} `);
  });

  it('refuses an unknown fact, and changes nothing', async ({ palace }) => {
    await tell(palace, 'shop port 443');
    await expect(replace(palace, 'shop port 80', '8080')).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('"443"'),
    });
    await expect(replace(palace, 'shop host b')).rejects.toMatchObject({ code: 'not-found' });
    await expect(replace(palace, 'shop port 443', '443')).rejects.toThrow('the new object is the old one');
    expect(all(palace, 'shop')).toEqual(['shop port 443 [, )']);
  });
});

describe('queries', () => {
  it('return the facts that were true at a given time', async ({ palace }) => {
    const instant = fc
      .integer({ min: 0, max: 200 })
      .map((hours) => new Date(Date.UTC(2026, 0, 1) + hours * 3_600_000).toISOString())
      .chain((text) => fc.constantFrom(text.slice(0, 10), `${text.slice(0, 19)}Z`));
    const told = fc.record({
      object: fc.constantFrom('a', 'b', 'c', 'shop'),
      from: fc.option(instant, { nil: undefined }),
      to: fc.option(instant, { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(told, { maxLength: 4 }), instant, async (facts, as_of) => {
        for (const { object, from, to } of facts)
          await tell(palace, `shop port ${object}`, { valid_from: from, valid_to: to }).catch(() => {});
        const everything = queryFacts(palace, { entity: 'shop', limit: 10_000 }).facts;
        const expected = everything.filter((fact) => holdsAt(fact, as_of));
        expect(queryFacts(palace, { entity: 'shop', as_of, limit: 10_000 }).facts).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('work in both directions, by predicate, and for the newest', async ({ palace }) => {
    await tell(palace, 'ada works_on shop', { valid_from: '2026-01-01' });
    await tell(palace, 'shop port 443', { valid_from: '2025-01-01' });
    await tell(palace, 'shop uses sqlite', { valid_from: '2024-01-01' });
    const ask = (more: object) =>
      queryFacts(palace, { entity: 'shop', limit: 9, ...more }).facts.map(
        ({ direction, predicate }) => `${direction} ${predicate}`,
      );
    expect(ask({})).toEqual(['outgoing uses', 'outgoing port', 'incoming works_on']);
    expect(ask({ direction: 'incoming' })).toEqual(['incoming works_on']);
    expect(ask({ direction: 'outgoing' })).toEqual(['outgoing uses', 'outgoing port']);
    expect(ask({ predicate: 'Works On' })).toEqual(['incoming works_on']);
    expect(queryFacts(palace, { entity: 'shop', limit: 2 })).toMatchObject({
      facts: [{ predicate: 'port' }, { predicate: 'works_on' }],
      total: 3,
    });
  });

  it('return a complete timeline in pages, which starts with the newest page and ends with the newest fact', async ({
    palace,
  }) => {
    for (let day = 1; day <= 25; day += 1)
      await tell(palace, `shop saw d${day}`, { valid_from: `2026-01-${String(day).padStart(2, '0')}` });
    // Added in June, without a known time.
    await tell(palace, 'shop uses paper');
    const page = (offset: number) => factTimeline(palace, {}, { limit: 10, offset });
    expect(page(0)).toMatchObject({ entity: null, total: 26 });
    const objects = [page(20), page(10), page(0)].flatMap(({ facts }) => facts.map(({ object }) => object));
    expect(objects).toEqual([...Array.from({ length: 25 }, (_, i) => `d${i + 1}`), 'paper']);
    expect(factTimeline(palace, { entity: 'D7' }, { limit: 10, offset: 0 })).toMatchObject({
      total: 1,
      entity: 'd7',
    });
  });
});

describe('the source of a fact', () => {
  it('is that of the drawer, and forgetting it erases the fact and names without other facts', async ({
    palace,
  }) => {
    fileTexts(palace, 'doc:p/a.md', ['Port 443 it is.']);
    fileTexts(palace, 'doc:p/b.md', ['Another.']);
    const source = palace.sources.byKey('doc:p/a.md');
    const [drawer = ''] = drawerIds(palace, source?.id ?? 0);
    const { fact } = await tell(palace, 'shop port secretname', { source_drawer_id: drawer.slice(0, 20) });
    expect(fact).toMatchObject({ source_key: 'doc:p/a.md', source_drawer_id: drawer });
    await tell(palace, 'shop host b', { source_file: 'doc:p/b.md' });
    await tell(palace, 'shop colour red', { source_file: 'the wiki' });
    // A deleted document does not delete facts.
    palace.remove(palace.sources.byKey('doc:p/b.md')?.id ?? 0);
    const before = exportFacts(palace, { made: NOW });
    palace.forgetting.addTombstones([source?.id ?? 0], NOW.toISOString());
    expect(palace.eraseForgotten()).toMatchObject({ drawers: 1, facts: 1 });
    expect(all(palace, 'shop')).toEqual(['shop host b [, )', 'shop colour red [, )']);
    expect(palace.facts.entity('secretname')).toBeUndefined();
    // An import does not restore it either.
    const again = await importFacts(palace, before.facts, { sanitiser: await SANITISER });
    expect(again).toMatchObject({ new: 0, unchanged: 2, forgotten: 1 });
    expect(problemsIn(palace)).toEqual([]);
  });
});

describe('export and import', () => {
  it('make the same graph, and nothing the second time', async () => {
    const [one, other] = [temporaryPalace(), temporaryPalace()];
    await tell(one, 'shop port 443', { valid_from: '2026-01-01', confidence: 0.5, source_closet: 'c' });
    await replace(one, 'shop port 8443', '443', '2026-02-01');
    await tell(one, 'Ada works_on shop');
    const file = exportFacts(one, { made: NOW });
    const { facts } = parseFactsFile(JSON.stringify(file));
    expect(await importFacts(other, facts, { sanitiser: await SANITISER })).toMatchObject({
      new: 3,
      problems: [],
    });
    expect(exportFacts(other, { made: NOW })).toEqual(file);
    expect(await importFacts(other, facts, { sanitiser: await SANITISER })).toMatchObject({
      new: 0,
      unchanged: 3,
    });
  });

  it('end facts that have ended in the export, and reopen none', async () => {
    const [one, other] = [temporaryPalace(), temporaryPalace()];
    for (const palace of [one, other]) await tell(palace, 'shop port 443', { valid_from: '2026-01-01' });
    const open = exportFacts(one, { made: NOW }).facts;
    invalidateFact(
      one,
      { subject: 'shop', predicate: 'port', object: '443' },
      { at: '2026-02-01', now: NOW },
    );
    const ended = exportFacts(one, { made: NOW }).facts;
    expect(await importFacts(other, ended, { sanitiser: await SANITISER })).toMatchObject({
      ended: 1,
      new: 0,
    });
    expect(await importFacts(other, open, { sanitiser: await SANITISER })).toMatchObject({
      new: 0,
      unchanged: 1,
    });
    expect(all(other, 'shop')).toEqual(['shop port 443 [2026-01-01, 2026-02-01)']);
  });

  it('report each invalid row, import the others, and redact secrets', async ({ palace }) => {
    await tell(palace, 'shop port 443');
    const [row] = exportFacts(palace, { made: NOW }).facts;
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const rows = [
      { ...row, triple_id: 'fact_1' },
      { ...row, valid_from: '2026-02-30', object: 'x' },
      { ...row, valid_from: '2026-02-02', valid_to: '2026-02-01', object: 'y' },
      { ...row, predicate: 'password', object: secret },
      { ...row, object: 'another', confidence: 2 },
      7,
    ];
    const result = await importFacts(palace, rows, { sanitiser: await SANITISER });
    expect(result.problems.map(({ row: number }) => number).sort()).toEqual([1, 2, 3, 5, 6]);
    expect(result).toMatchObject({ new: 1, redacted: { password: 1 } });
    expect(JSON.stringify(exportFacts(palace, { made: NOW }))).not.toContain(secret);
  });

  it('refuse another file, and a newer version of the format', () => {
    expect(() => parseFactsFile('{')).toThrow(/not an export of facts/);
    expect(() => parseFactsFile('{"format":"mempalace-export"}')).toThrow(/not an export of facts/);
    const later = { format: 'mempalace-facts', version: 2, made: '', facts: [] };
    expect(() => parseFactsFile(JSON.stringify(later))).toThrow(/version 2/);
  });
});

describe('scrubbing', () => {
  it('redacts stored facts by the current rules', async ({ palace }) => {
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const nothing = await createSanitiser({ redact: false });
    const telling = { sanitiser: nothing, addedBy: 'test', now: NOW };
    await addFact(palace, { subject: 'shop', predicate: 'password', object: secret }, telling);
    await addFact(palace, { subject: 'shop', predicate: 'port', object: '443' }, telling);
    const found = await findUncleanFacts(palace, await SANITISER);
    expect(found).toMatchObject({ facts: [{ fact: { predicate: 'password' } }], redacted: { password: 1 } });
    rewordFacts(palace, found.facts, NOW);
    expect(JSON.stringify(exportFacts(palace, { made: NOW }))).not.toContain(secret);
    expect(palace.facts.entity(secret.toLowerCase())).toBeUndefined();
    expect((await findUncleanFacts(palace, await SANITISER)).facts).toEqual([]);
    expect(all(palace, 'shop')).toHaveLength(2);
  });
});
