import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { it } from '../support/it-env.js';
import { turn, writeTalk } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

type Sources = { sources: { date: string }[] };
type Hits = { hits: { content_date: string; title: string }[] };

/** Sessions at these moments (UTC), filed and looked at in a zone. */
async function filedIn(zone: string, moments: Record<string, string>) {
  const env = new TestEnv();
  for (const [id, timestamp] of Object.entries(moments)) {
    const path = writeTalk(env, id, '', '');
    writeFileSync(
      path,
      turn('user', `How are totals rounded in ${id}?`, { sessionId: id, timestamp }) +
        turn('assistant', `The totals of ${id} are rounded half up.`, { sessionId: id, timestamp }),
    );
  }
  const json = async <Document>(...args: string[]): Promise<Document> => {
    const { stdout } = await env.spawn('mempalace', [...args, '--json'], { TZ: zone });
    return JSON.parse(stdout) as Document;
  };
  const filed = await env.spawn('mempalace-session', ['--from', 'claude-code', '--min-messages', '1', '-q'], {
    TZ: zone,
  });
  expect(filed.exitCode).toBe(0);
  return { env, json };
}

it.each([
  // Before and after local midnight.
  ['Pacific/Kiritimati', '2026-03-04T09:59:00.000Z', '2026-03-04T10:01:00.000Z'],
  ['Pacific/Honolulu', '2026-03-05T09:59:00.000Z', '2026-03-05T10:01:00.000Z'],
  ['Asia/Kolkata', '2026-03-04T18:29:00.000Z', '2026-03-04T18:31:00.000Z'],
  // Clocks change on 29 March, at 2 o'clock.
  ['Europe/Berlin', '2026-03-28T22:59:00.000Z', '2026-03-29T21:59:00.000Z'],
])('days are those of %s', async (zone, before, after) => {
  const [first, second] =
    zone === 'Europe/Berlin' ? ['2026-03-28', '2026-03-29'] : ['2026-03-04', '2026-03-05'];
  const { json } = await filedIn(zone, { early: before, late: after });
  expect((await json<Sources>('list', 'sources')).sources.map(({ date }) => date)).toEqual([second, first]);
  const titles = async (...args: string[]) =>
    (await json<Hits>('search', 'totals', ...args)).hits.map(({ title }) => /early|late/.exec(title)?.[0]);
  expect(await titles('--since', second)).toEqual(['late']);
  expect(await titles('--until', first)).toEqual(['early']);
  const { hits } = await json<Hits>('search', `totals on ${second}`);
  expect(hits[0]?.content_date).toBe(second);
});

it('a zone in the settings is before TZ, and a wrong one is refused', async ({ env }) => {
  const docs = env.project('notes', {
    'zoned.md': '---\ndate: 2026-03-04T23:30:00-08:00\n---\n# Zoned\n\nThe cart is rounded once.\n',
    'plain.md': '---\ndate: 2026-03-04\n---\n# Plain\n\nInvoices are rounded half up.\n',
  });
  const zone = { MEMPALACE_TIMEZONE: 'America/Los_Angeles', TZ: 'Asia/Tokyo' };
  expect((await env.spawn('mempalace-docs', [docs, '-q'], zone)).exitCode).toBe(0);
  const { stdout } = await env.spawn('mempalace', ['search', 'rounded', '--json'], zone);
  const { hits } = JSON.parse(stdout) as Hits;
  expect(hits.map(({ content_date }) => content_date)).toEqual(['2026-03-04', '2026-03-04']);

  const wrong = await env.spawn('mempalace', ['status'], { MEMPALACE_TIMEZONE: 'Berlin' });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('the name of a time zone, such as Europe/Berlin, is wanted');
});
