import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { documentOf } from '../../src/adapters/rest.js';
import { sha256 } from '../../src/core/hash.js';
import { markOf, projectId } from '../../src/core/project-id.js';
import { documentKey } from '../../src/core/source-key.js';
import { unpackVectors } from '../../src/embedding/packed.js';
import { collections as operations } from '../../src/operations/collections/index.js';
import { operationNamed, printedOf } from '../../src/operations/index.js';
import { type AnyOperation, ask as askWide } from '../../src/operations/operation.js';
import type { Found } from '../../src/operations/search/found.js';
import type { Answer, PalaceService } from '../../src/service/contract/index.js';
import { ask } from '../support/ask.js';
import { TINY_MODEL, vectorOf } from '../support/palace.js';
import { asking, filledPalace, find, LONG, question, TALK } from './palace.js';

/** A service over the palace in a folder. */
export interface Opened {
  service: PalaceService;
  close(): Promise<void>;
}

const idsOf = (found: Found | undefined) =>
  found?.hits.map(({ drawer, semantic }) => [drawer.drawerId, semantic]);

/**
 * What every implementation of `PalaceService` does.
 *
 * @param within the only wing, which contains everything, of an implementation that does not do what concerns several
 */
export function conforms(name: string, open: (folder: string) => Promise<Opened>, within?: string): void {
  const inWhole = within === undefined ? it : it.skip;
  describe(`${name} is a palace`, () => {
    let opened: Opened;
    let service: PalaceService;
    beforeEach(async () => {
      opened = await open(await filledPalace(within));
      const ask: PalaceService['ask'] = async (asked, input, call) => {
        const operation = await operationNamed(asked.name);
        const answer = await opened.service.ask(asked, input, call);
        if ('output' in operation) {
          const described = operation as AnyOperation;
          plainOf(documentOf(described), await printedOf(described, answer, input as Answer));
        } else expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
        return answer;
      };
      service = { ask };
    });
    afterEach(() => opened.close());

    it('finds by words and by meaning, with turns, neighbours and coverage', async () => {
      const found = await find(service, question('zebra'), asking());
      expect(found.hits.map(({ drawer }) => drawer.sourceKey)).toEqual(
        expect.arrayContaining(['doc:p/notes.md', 'session:o:ses_1']),
      );
      const talk = found.hits.find(({ drawer }) => drawer.kind === 'conversation');
      expect(talk?.drawer).toMatchObject({
        text: TALK.split('Assistant')[0],
        turns: [{ role: 'user', start: 0 }],
      });
      const notes = found.hits.find(({ drawer }) => drawer.sourceKey === 'doc:p/notes.md');
      expect(notes?.passage.length).toBeGreaterThanOrEqual(2);
      expect(notes?.drawer.turns).toBeNull();
      expect([found.absent, found.trouble, found.notes]).toEqual([[], undefined, []]);
      expect(found.hits.every(({ semantic }) => semantic !== undefined)).toBe(true);
    });

    it('finds by words alone where the ranking compares no meanings', async () => {
      const { hits, notes, trouble } = await find(service, question('zebra', { rank: 'lexical' }));
      expect([hits.length, hits[0]?.semantic, notes, trouble]).toEqual([2, undefined, [], undefined]);
    });

    inWhole('finds only what has a type and a priority', async () => {
      const by = (filter: Parameters<typeof question>[1]) => find(service, question('zebra', filter));
      const talks = await by({ type: 'conversation', priority: 'medium' });
      expect(talks.hits.map(({ drawer }) => drawer.sourceKey)).toEqual(['session:o:ses_1']);
      expect((await by({ priority: 'high' })).hits).toEqual([]);
      expect((await by({ type: 'palace' })).hits).toEqual([]);
      const filter = { type: 'document', priority: 'medium' as const };
      expect((await ask(service, 'listDrawers', filter, asking())).total).toBe(6);
    });

    inWhole('maps its rooms, with the day of their newest content', async () => {
      const { wings } = await ask(service, 'map', { cold: ['wing_b'] }, asking());
      const { rooms: places } = await ask(service, 'listRooms', {}, asking());
      const rooms = wings.flatMap(({ wing, rooms }) => rooms.map((room) => ({ wing, ...room })));
      expect(rooms.map(({ last: _, cold: _cold, ...place }) => place)).toEqual(places);
      expect(rooms.filter(({ cold }) => cold).map(({ wing }) => wing)).toEqual(['wing_b']);
      const [only, ...others] = (await ask(service, 'map', { wing: 'wing_b' }, asking())).wings;
      expect([only?.wing, only?.sources, others]).toEqual(['wing_b', 1, []]);
    });

    inWhole('proposes steps from uses, and calls nothing unused that was not observed', async () => {
      expect(await ask(service, 'metabolism', {})).toMatchObject({ since: null, used: 0, proposals: [] });
    });

    it('omits what is farther in meaning, finds links, and names the phrases that are nowhere', async () => {
      const far = await find(service, question('zebra', { max_distance: 1e-9, room: 'generl' }));
      expect(far.hits).toEqual([]);
      expect(far.notes).toContainEqual(expect.stringContaining('did you mean general?'));
      const { related, absent } = await find(service, question('zebra "sleeps standing"', { links: true }));
      expect(related?.map(({ link, drawer }) => [link, drawer.sourceKey])).toEqual([
        ['gates', 'doc:p/gates.md'],
      ]);
      expect(absent).toEqual(['sleeps standing']);
    });

    inWhole('prefers the project of the client, or finds only there', async () => {
      const locations = [{ folder: '/p/src' }];
      const around = { folders: ['/p/src'], locations };
      const near = await find(service, question('zebra', { around }));
      expect(near.notes).toEqual(['preferring this project (wing_a); --everywhere searches all alike']);
      const only = await find(service, question('giraffe', { around, here: true }));
      expect(only.hits.map(({ drawer }) => drawer.wing)).not.toContain('wing_b');
      const none = await find(service, question('giraffe', { around, here: true, rank: 'lexical' }));
      expect(none.notes).toEqual(['nothing found for "giraffe" (this project, wing_a)']);
      const outside = { folders: ['/tmp'], locations: [{ folder: '/tmp' }] };
      const there = find(service, question('zebra', { around: outside, here: true }));
      await expect(there).rejects.toMatchObject({
        name: 'UserError',
        code: 'not-found',
        message: 'no filed project contains /tmp',
        hint: expect.stringContaining('mempalace-docs'),
      });
    });

    inWhole('tells the history of a file, and searches in it', async () => {
      const history = await ask(service, 'file', { file: 'gates.md', limit: 5 });
      expect(history).toMatchObject({ file: 'gates.md', paths: ['/p/gates.md'], total: 2, unread: 0 });
      expect(
        history.sources.map(({ source_key, uses }) => [source_key, uses.map(({ action }) => action)]),
      ).toEqual([
        ['session:o:ses_1', ['edited']],
        ['doc:p/gates.md', ['filed']],
      ]);
      const found = await find(service, question('zebra', { file: '/p/gates.md' }));
      expect(found.hits.map(({ drawer }) => drawer.sourceKey)).toContain('session:o:ses_1');
      expect(found.hits.map(({ drawer }) => drawer.sourceKey)).not.toContain('doc:p/notes.md');
      expect((await ask(service, 'file', { file: 'none.md' })).total).toBe(0);
    });

    inWhole('tells what a document is linked with', async () => {
      const related = (name: string) => ask(service, 'related', { name });
      const { links_to, linked_from } = await related('doc:p/notes.md');
      expect(links_to).toMatchObject([{ source_key: 'doc:p/gates.md', link: 'gates', line: 1 }]);
      expect(linked_from).toEqual([]);
      const gates = await related('gates.md');
      expect(gates.linked_from).toMatchObject([{ source_key: 'doc:p/notes.md', link: 'gates', line: 1 }]);
      expect((await related('session:o:ses_1')).tree).toEqual([]);
      await expect(related('none.md')).rejects.toMatchObject({ code: 'not-found' });
    });

    inWhole('tells what recurs', async () => {
      expect(await ask(service, 'patterns', {})).toMatchObject({ patterns: [], total: 0, unread: 0 });
      const written = { entry: 'Round once, on the total.', topic: 'decision' };
      for (const agent of ['one', 'two']) await ask(service, 'diaryWrite', { agent, ...written });
      const { patterns } = await ask(service, 'patterns', { kind: 'decision' });
      expect(patterns).toMatchObject([
        {
          kind: 'decision',
          tool: null,
          text: written.entry,
          count: 2,
          occurrences: [{ fix: null }, { fix: null }],
        },
      ]);
      const [drawer] = patterns[0]?.occurrences ?? [];
      const { text } = await ask(service, 'getDrawer', { drawer_id: drawer?.drawer_id ?? '' });
      expect(text).toContain('Round once');
    });

    it('shows a drawer in its place and on its day', async () => {
      const asked = question('wakes', { by: 'drawer', rank: 'lexical' });
      const id = (await find(service, asked, asking())).hits[0]?.drawer.drawerId ?? '';
      const around = await ask(service, 'timeline', { id, radius: 1 });
      const { source, drawers, same_day, same_day_total } = around;
      expect([source.drawers, drawers.length, same_day.length, same_day_total]).toEqual([3, 3, 3, 3]);
      const alone = (await ask(service, 'show', { name: id.slice(0, 20), paths: [] })).found;
      expect(alone).toMatchObject({ kind: 'drawer', drawer: { drawerId: id }, count: 3 });
      const short = ask(service, 'timeline', { id: 'drawer_0' });
      await expect(short).rejects.toMatchObject({ code: 'usage' });
    });

    it('gives a source by name, and its text in parts', async () => {
      const talk = (await ask(service, 'show', { name: 'nobody', paths: ['ses_1'] })).found;
      expect(talk).toMatchObject({ kind: 'source', turns: [{ role: 'user' }, { role: 'assistant' }] });
      const long = (await ask(service, 'show', { name: 'long.md', paths: [] })).found;
      if (long.kind !== 'source') throw new Error('a source was asked for');
      const { sourceKey, hash, chars } = long.source;
      expect(chars).toBe(LONG.length);
      let text = '';
      let parts = 0;
      for (let from = { piece: 0, start: 0 }; ; parts += 1) {
        const part = await ask(
          service,
          'textPart',
          { sourceKey, hash, offset: from.start, chars: 1, from },
          asking(),
        );
        text += part.text;
        if (part.next === undefined) break;
        from = part.next;
      }
      expect([text === LONG, parts]).toEqual([true, 1]);
      const middle = await ask(
        service,
        'textPart',
        { sourceKey, hash, offset: 300_000, chars: 10 },
        asking(),
      );
      expect(middle.text.slice(0, 10)).toBe(LONG.slice(300_000, 300_010));
      expect(await ask(service, 'textPart', { sourceKey, hash, offset: chars, chars: 1 }, asking())).toEqual({
        text: '',
      });
      await expect(
        ask(service, 'textPart', { sourceKey, hash: 'another', offset: 0, chars: 1 }, asking()),
      ).rejects.toMatchObject({ code: 'failed' });
    });

    inWhole('counts by day and wing', async () => {
      const [today, ...others] = (await ask(service, 'listDays', {}, asking())).days;
      expect([today?.sources, others]).toEqual([4, []]);
      expect(today?.wings.map(({ wing, sources }) => [wing, sources])).toEqual([
        ['wing_a', 2],
        ['wing_b', 1],
        ['wing_talks', 1],
      ]);
      const since = today?.day ?? '';
      const { days } = await ask(service, 'listDays', { wing: 'wing_b', since }, asking());
      expect(days.map(({ day, wings }) => [day, wings])).toEqual([[since, [today?.wings[1]]]]);
      expect((await ask(service, 'listDays', { since: `${since}x` }, asking())).days).toEqual([]);
    });

    inWhole('tells an agent at its start what there is', async () => {
      const start = {
        without: [{ wing: 'wing_b' }],
        identity: { file: '', text: 'I keep zebras.' },
        patterns: true,
        tokens: 500,
        weights: { recency: 1, importance: 1 },
        half_life_days: 30,
      };
      const woken = await ask(service, 'wakeUp', { start });
      expect(woken.text).toContain('I keep zebras.');
      expect(woken.holdings.map(({ name }) => name).sort()).toEqual(['wing_a', 'wing_talks']);
      const none = await ask(service, 'wakeUp', { start, wing: 'wing_x' });
      expect(none.holdings).toEqual([]);
    });

    inWhole('tells a session in a folder about the wing of its project, else nothing of others', async () => {
      const start = {
        without: [{ wing: 'wing_b' }],
        patterns: true,
        tokens: 500,
        weights: { recency: 1, importance: 1 },
        half_life_days: 30,
      };
      const told = async (folder: string) => {
        const around = { folders: [folder], locations: [{ folder }], checkouts: [] };
        const { wing, text, elsewhere } = await ask(service, 'wakeUp', { start: { ...start, around } });
        expect(elsewhere === null).toBe(wing !== null);
        if (wing === null) expect(text).not.toMatch(/wing_|zebra/);
        return wing;
      };
      expect(await Promise.all(['/p', '/p/src', '/q', '/pp', '/'].map(told))).toEqual([
        'wing_a',
        'wing_a',
        'wing_b',
        null,
        null,
      ]);
    });

    inWhole('is not damaged', async () => {
      expect(await ask(service, 'drift', {})).toEqual({ warnings: [] });
    });

    inWhole('says what it contains, and about its model and runs', async () => {
      const { wings } = await ask(service, 'listWings', {}, asking());
      const { rooms } = await ask(service, 'listRooms', {}, asking());
      expect(wings.map(({ wing, drawers }) => [wing, drawers])).toEqual([
        ['wing_a', 4],
        ['wing_b', 2],
        ['wing_talks', 2],
      ]);
      expect(rooms).toContainEqual({ wing: 'wing_b', room: 'general', sources: 1, drawers: 2 });
      await find(service, question('zebra'), asking());
      const { bytes, ...told } = await ask(service, 'status', { runs: 1, short_writes: true }, asking());
      expect([
        bytes > 0,
        told.model.id,
        told.meaning.percent,
        told.runs.map(({ command }) => command),
      ]).toEqual([true, 'tiny', 100, ['test']]);
      const inside = told.wings.flatMap(({ wing, rooms }) => rooms.map((room) => ({ wing, ...room })));
      expect([inside, told.feeders.map(({ command }) => command)]).toEqual([rooms, ['test']]);
      expect(await ask(service, 'meaningNow', {})).toEqual({ loaded: true });
      const changes = await ask(service, 'changeCounter', {});
      expect(changes).toMatchObject({ sources: 4, facts: 0, current_facts: 0 });
      expect(changes.runs[0]).toMatchObject({ command: 'test', running: false });
      expect(await ask(service, 'reopen', {})).toEqual({ drawers: 8 });
    });

    inWhole('lists sources and runs page by page, newest first', async () => {
      const page = { limit: 1, offset: 1 };
      const { sources, total } = await ask(service, 'listSources', { wing: 'wing_a', ...page }, asking());
      expect([total, sources.map(({ source_key, drawers }) => [source_key, drawers])]).toEqual([
        2,
        [['doc:p/notes.md', 3]],
      ]);
      expect(sources[0]).toMatchObject({ pinned: false, priority: null, priority_from: null });
      await ask(service, 'diaryWrite', { agent: 'pi', entry: 'The gate creaks.' });
      const { runs } = await ask(service, 'listRuns', { limit: 2, offset: 1 }, asking());
      const { runs: last } = await ask(service, 'listRuns', { limit: 1 }, asking());
      expect(runs.map(({ id }) => id)).toEqual([4, 3]);
      expect(last[0]).toMatchObject({ id: 5, command: 'test', exit_code: 0, running: false });
      expect(runs[0]).toMatchObject({ exit_code: null, seconds: null, running: false });
    });

    inWhole('lists drawers page by page, and gives one', async () => {
      const page = { wing: 'wing_a', limit: 3 };
      const first = await ask(service, 'listDrawers', page, asking());
      const rest = await ask(service, 'listDrawers', { ...page, offset: 3 }, asking());
      expect([first.total, first.drawers.length, rest.drawers.length]).toEqual([4, 3, 1]);
      const id = rest.drawers[0]?.drawer_id ?? '';
      const drawer = await ask(service, 'getDrawer', { drawer_id: id }, asking());
      expect([drawer.drawer_id, drawer.text]).toEqual([id, rest.drawers[0]?.text]);
      const source = ask(service, 'getDrawer', { drawer_id: 'ses_1' }, asking());
      await expect(source).rejects.toMatchObject({ code: 'usage' });
      const none = ask(service, 'getDrawer', { drawer_id: 'drawer_00000000' }, asking());
      await expect(none).rejects.toMatchObject({ code: 'not-found' });
    });

    it('compares texts with what is filed', async () => {
      const like = async (content: string) => {
        const { is_duplicate, matches } = await ask(service, 'similarDrawers', { content, threshold: 0.99 });
        return [is_duplicate, matches.map(({ content, similarity }) => [content, similarity])];
      };
      expect(await like('It eats grass.\n')).toEqual([true, [['It eats grass.\n', 1]]]);
      expect(await like('Quite another matter')).toEqual([false, []]);
    });

    inWhole('gives the vectors of texts, by its own model only', async () => {
      const { id, revision, dimension } = TINY_MODEL;
      const asked = { model: { id, revision, dimension }, texts: ['Gates', ''], role: 'passage' as const };
      const { vectors } = await ask(service, 'sharedModel', asked);
      expect(unpackVectors(vectors, 2, dimension)).toEqual(['Gates', ''].map(vectorOf));
      const other = { ...asked, model: { id, revision: 'of tomorrow', dimension } };
      await expect(ask(service, 'sharedModel', other)).rejects.toMatchObject({ code: 'locked' });
    });

    inWhole('takes what another machine has staged, once', async () => {
      const mark = markOf('guest');
      const project = { id: projectId('/g', null, 0, mark), root: '/g', rootCommit: null, folder: 'g' };
      const sourceKey = documentKey(project.id, 'a.md');
      const text = 'The heron wades.\n';
      const place = {
        wing: 'wing_g',
        room: 'general',
        origin: '/g/a.md',
        sourceFile: 'mempalace-docs/wing_g/g/a.md',
      };
      const size = { bytes: Buffer.byteLength(text), hash: sha256(text), mtimeMs: 1 };
      const source = {
        path: 'a.md',
        sourceKey,
        kind: 'document' as const,
        madeBy: 'sanitiser 1',
        ...place,
        ...size,
      };
      const head = { project, complete: { project: project.id, unread: [] } };
      const announced = { mark, batch: 0, head, sources: [source], force: false, again: [] };
      const { upload, wanted } = await ask(service, 'announceSources', announced, asking());
      expect(wanted).toEqual([sourceKey]);
      const bytes = Buffer.from(text).toString('base64');
      await ask(service, 'receiveText', { upload, sourceKey, offset: 0, bytes }, asking());
      const run = { command: 'mempalace-docs', scope: '{"dir":"/g"}', narrowed: false };
      const filing = { mark, run, addedBy: 'guest', force: false, allowRemovals: false };
      const lists = { checkpoints: [], unsent: [], problems: [] };
      const filed = await ask(service, 'fileReceived', { upload, ...filing, ...lists }, asking());
      expect(filed).toMatchObject({ new: 1, removed: 0, drawersAdded: 1, problems: [] });
      const again = await ask(service, 'announceSources', announced, asking());
      expect(again.wanted).toEqual([]);
      const known = await ask(service, 'filedSources', { pathsOf: [project.id], run }, asking());
      expect(known.paths).toEqual({ [project.id]: ['a.md'] });
      expect(known.projects).toContainEqual({ ...project, wing: 'wing_g' });
      expect(known.conversations.map((each) => each.sourceKey)).toContain('session:o:ses_1');
    });

    inWhole('adds, replaces and ends facts, and answers questions about them', async () => {
      const port = { subject: 'Shop', predicate: 'port', confidence: 1 };
      const first = await ask(
        service,
        'kgAdd',
        { ...port, object: '80', valid_from: '2026-01-01' },
        asking(),
      );
      expect([first.added, first.fact.added_by, first.conflicts]).toEqual([true, 'tester', []]);
      const again = await ask(
        service,
        'kgAdd',
        { ...port, object: '80', valid_from: '2026-01-01' },
        asking(),
      );
      expect([again.added, again.fact.triple_id]).toEqual([false, first.fact.triple_id]);
      const { confidence: _, ...words } = port;
      const next = await ask(
        service,
        'kgSupersede',
        { ...words, object: '8443', at: '2026-02-01' },
        asking(),
      );
      expect([next.at, next.ended.map(({ object }) => object)]).toEqual(['2026-02-01', ['80']]);
      const asked = { entity: 'shop', direction: 'both' as const, limit: 5 };
      const then = await ask(service, 'kgQuery', { ...asked, as_of: '2026-01-15' }, asking());
      expect(then.facts.map(({ object, direction }) => [object, direction])).toEqual([['80', 'outgoing']]);
      expect((await ask(service, 'kgQuery', { ...asked, predicate: 'owner' }, asking())).total).toBe(0);
      const wrong = await ask(
        service,
        'kgInvalidate',
        { ...words, object: '22', at: '2026-03-01' },
        asking(),
      );
      expect([wrong.ended, wrong.open.map(({ object }) => object)]).toEqual([[], ['8443']]);
      await ask(service, 'kgInvalidate', { ...words, object: '8443', at: '2026-03-01' }, asking());
      const stats = await ask(service, 'kgStats', {}, asking());
      expect([stats.triples, stats.current_facts, stats.relationship_types]).toEqual([
        2,
        0,
        [{ predicate: 'port', facts: 2 }],
      ]);
      const { facts, total } = await ask(service, 'kgTimeline', { limit: 1, offset: 0 }, asking());
      expect([total, facts.map(({ valid_to }) => valid_to)]).toEqual([2, ['2026-03-01']]);
      const day = await ask(service, 'kgTimeline', { as_of: '2026-01-15', limit: 9, offset: 0 }, asking());
      expect([day.as_of, day.total, day.facts.map(({ object }) => object)]).toEqual([
        '2026-01-15',
        1,
        ['80'],
      ]);
      const never = ask(service, 'kgTimeline', { as_of: 'soon', limit: 1, offset: 0 }, asking());
      await expect(never).rejects.toMatchObject({ code: 'usage' });
      expect(await ask(service, 'kgQuery', { ...asked, entity: 'nobody' }, asking())).toMatchObject({
        known: false,
      });
      await expect(ask(service, 'kgQuery', { ...asked, as_of: 'soon' }, asking())).rejects.toMatchObject({
        code: 'usage',
      });
      const { runs } = await ask(service, 'status', { runs: 9, short_writes: true }, asking());
      expect(runs.filter(({ command }) => command === 'test').length).toBeGreaterThan(0);
    });

    inWhole('names facts that contradict each other, and files why one of them is ended', async () => {
      const port = (object: string) =>
        ask(service, 'kgAdd', { subject: 'Shop', predicate: 'port', object, confidence: 1 }, asking());
      const [one, other] = [await port('80'), await port('8443')].map(({ fact }) => fact.triple_id);
      const { conflicts } = await ask(service, 'conflicts', {}, asking());
      expect(conflicts.map(({ subject, facts }) => [subject, facts.map(({ object }) => object)])).toEqual([
        ['Shop', ['80', '8443']],
      ]);
      const wanted = {
        facts: [one ?? '', (other ?? '').slice(0, 16)] as [string, string],
        keep: other ?? '',
      };
      const done = await ask(service, 'kgResolve', { ...wanted, because: 'The proxy says so.' }, asking());
      expect([done.kept.object, done.ended.object, done.ended.valid_to]).toEqual(['8443', '80', done.at]);
      expect((await ask(service, 'conflicts', {}, asking())).conflicts).toEqual([]);
      const record = (await ask(service, 'show', { name: done.source_key, paths: [] })).found;
      if (record.kind !== 'source') throw new Error('a source was asked for');
      expect([record.source.room, record.source.drawers]).toEqual(['conflicts', done.drawers.length]);
      const again = ask(service, 'kgResolve', { ...wanted, because: 'Again.' }, asking());
      await expect(again).rejects.toMatchObject({ code: 'usage' });
    });

    it('finds no checkpoint where none is filed', async () => {
      const asked = { session: 'talk-1', limit: 9 };
      expect(await ask(service, 'checkpointList', asked)).toMatchObject({ checkpoints: [], total: 0 });
      for (const last of [{ name: 'talk-1' }, { folders: ['/code'] }])
        await expect(ask(service, 'checkpointShow', last)).rejects.toMatchObject({ code: 'not-found' });
    });

    inWhole('files what a model wrote about a session, and finds it only by its type', async () => {
      const asked = { limit: 9 };
      const { sessions, total, spent } = await ask(service, 'unsummarised', asked);
      expect([sessions.map(({ source_key, grown }) => [source_key, grown]), total, spent]).toEqual([
        [['session:o:ses_1', false]],
        1,
        0,
      ]);
      const session = 'session:o:ses_1';
      const wanted = { source_key: session, tokens: 100 };
      const { digest, mtime_ms } = await ask(service, 'sessionDigest', wanted);
      expect(digest).toContain('Why is the zebra late?');
      const note = { session, mtime_ms, model: 'small', tokens: 60 };
      const content = 'The zebra was late, since the gate was shut.';
      const done = await ask(service, 'fileSummary', { ...note, content });
      expect([done.outcome, done.summary_id]).toEqual(['filed', 'summary:session:o:ses_1/summary.md']);
      expect((await ask(service, 'fileSummary', { ...note, tokens: 5 })).outcome).toBe('none');
      expect(await ask(service, 'unsummarised', asked)).toEqual({ sessions: [], total: 0, spent: 65 });
      const by = { model: 'small', daily_budget: 99 };
      expect((await ask(service, 'status', { summaries: by })).summaries?.spent_today).toBe(65);
      const keysOf = async (filter: Parameters<typeof question>[1]) =>
        (await find(service, question('zebra', filter))).hits.map(({ drawer }) => drawer.sourceKey);
      expect(await keysOf({})).not.toContain(done.summary_id);
      expect(await keysOf({ type: 'summary' })).toEqual([done.summary_id]);
      expect(await keysOf({ room: 'summaries' })).toEqual([done.summary_id]);
      for (const change of [{ pinned: true }, { priority: 'high' as const }]) {
        const marked = ask(service, 'set', { name: done.summary_id, ...change });
        await expect(marked).rejects.toMatchObject({ code: 'usage' });
      }
      const { sources } = await ask(service, 'forgetDryRun', { session: 'ses_1' });
      expect(sources.map(({ source_key }) => source_key)).toContain(done.summary_id);
      const unknown = ask(service, 'unsummarised', { ...asked, session: 'ses_9' });
      await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
    });

    it('writes a diary once, without secrets, and reads it', async () => {
      const note = { agent: 'Pi', entry: 'The gate needs oil.\n', topic: 'zoo' };
      const { written, agent, wing } = await ask(service, 'diaryWrite', note);
      expect([written, agent, wing]).toEqual([true, 'pi', within ?? 'wing_pi']);
      expect((await ask(service, 'diaryWrite', note)).written).toBe(false);
      const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
      const secret = await ask(service, 'diaryWrite', { agent: 'pi', entry: `The token is ${token}.` });
      expect(Object.keys(secret.redacted)).toHaveLength(1);
      const { entries, total } = await ask(service, 'diaryRead', { agent: 'PI', limit: 1 });
      expect([total, entries.length, entries[0]?.content.includes(token)]).toEqual([2, 1, false]);
      const kept = { agent: 'pi', entry: `It is ${token}.`, topic: 'keys', redact: false };
      expect((await ask(service, 'diaryWrite', kept)).redacted).toEqual({});
      const zoo = await ask(service, 'diaryRead', { topic: 'zoo' });
      expect(zoo.entries.map(({ content }) => content)).toEqual([note.entry]);
      await expect(ask(service, 'diaryWrite', { agent: 'pi', entry: ' ' })).rejects.toMatchObject({
        code: 'usage',
      });
    });

    it('files texts, each once, changes and deletes them, and no others', async () => {
      const wing = within ?? 'wing_notes';
      const draft = { wing, room: 'gates', content: 'Oil the gate in May.\n' };
      const items = [draft, { ...draft, content: 'Paint it green.\n', source_file: 'paint' }];
      const { added, duplicates } = await ask(service, 'saveSession', { items, dedup_threshold: 1 });
      expect(added.map(({ reason, chunks, source_file }) => [reason, chunks, source_file])).toEqual([
        [undefined, 1, expect.stringMatching(/^drawer\//)],
        [undefined, 1, 'paint'],
      ]);
      expect(duplicates).toEqual([]);
      const former = added[0]?.drawer_id ?? '';
      const again = await ask(service, 'addDrawer', { ...draft, added_by: 'me' });
      expect({ item: 0, ...again }).toEqual({ ...added[0], reason: 'already_exists' });
      const diary = { agent_name: 'pi', entry: 'The gate was oiled.', wing };
      const saved = await ask(service, 'saveSession', { items: [draft], diary });
      expect([saved.added, saved.errors]).toEqual([[], []]);
      expect(saved.duplicates).toMatchObject([{ item: 0, id: former, similarity: 1 }]);
      expect(saved.diary).toMatchObject({ agent: 'pi', wing, chunks: 1 });
      const change = { drawer_id: former, content: 'Oil it in June.\n', room: 'doors' };
      const { drawer_id, ...moved } = await ask(service, 'updateDrawer', change);
      expect([moved.room, moved.noop, moved.previous_id]).toEqual(['doors', undefined, former]);
      expect((await ask(service, 'getDrawer', { drawer_id })).text).toBe('Oil it in June.\n');
      expect((await ask(service, 'updateDrawer', { drawer_id, room: 'doors' })).noop).toBe(true);
      const { hits } = await find(service, question('June', { rank: 'lexical' }), asking());
      expect(hits.map(({ drawer }) => drawer.drawerId)).toEqual([drawer_id]);
      const deleted = await ask(service, 'deleteDrawer', { drawer_id });
      expect(deleted).toMatchObject({ drawer_id, drawers_removed: 1 });
      const gone = ask(service, 'getDrawer', { drawer_id });
      await expect(gone).rejects.toMatchObject({ code: 'not-found' });
      const wrong = { items: [draft, { ...draft, room: 'a/b', content: 'Other' }] };
      await expect(ask(service, 'saveSession', wrong)).rejects.toMatchObject({ code: 'usage' });
      expect((await ask(service, 'listDrawers', { wing, room: 'gates' })).total).toBe(1);
      const place = { wing: within ?? 'wing_a', room: 'general' };
      const { drawers } = await ask(service, 'listDrawers', place);
      const feeder = ask(service, 'deleteDrawer', { drawer_id: drawers[0]?.drawer_id ?? '' });
      await expect(feeder).rejects.toMatchObject({ code: 'usage' });
    });

    it('marks drawers and sources, and keeps what is not named', async () => {
      const marked = await ask(service, 'set', { name: 'gates.md', priority: 'high', pinned: true });
      expect(marked).toMatchObject({ kind: 'source', source_key: 'doc:p/gates.md', set_priority: 'high' });
      const lowered = await ask(service, 'set', { name: 'gates.md', priority: 'none' });
      expect([lowered.priority, lowered.pinned]).toEqual([null, true]);
      const { hits } = await find(service, question('gates shut', { rank: 'lexical' }), asking());
      const id = hits.find(({ drawer }) => drawer.sourceKey === 'doc:p/gates.md')?.drawer.drawerId ?? '';
      const drawer = await ask(service, 'set', { name: id, priority: 'low' });
      expect(drawer).toMatchObject({ drawer_id: id, set_priority: 'low', pinned: true, set_pinned: false });
      expect(drawer).toMatchObject({ former_priority: null, former_pinned: false });
      const none = ask(service, 'set', { name: 'nobody', pinned: true });
      await expect(none).rejects.toMatchObject({ code: 'not-found' });
      await expect(ask(service, 'set', { name: id })).rejects.toMatchObject({ code: 'usage' });
    });

    inWhole('keeps a search with chosen drawers, and finds in it', async () => {
      const which = { name: 'zebras' };
      const members = async () => {
        const { drawers } = await ask(service, 'collectionShow', which);
        return drawers.map(({ text, added }) => [text.split('\n')[0], added]);
      };
      const filter = { wing: 'wing_a', type: 'document' };
      const made = await ask(service, 'collectionAdd', {
        name: 'zebras',
        query: 'zebra',
        ...filter,
        limit: 2,
      });
      expect(made).toMatchObject({ created: true, collection: { filter, limit: 2, added: 0, excluded: 0 } });
      const found = await members();
      expect([found.length, found.every(([, added]) => added === false)]).toEqual([2, true]);
      const { hits } = await find(service, question('gates', { by: 'drawer', rank: 'lexical' }), asking());
      const gates = hits.find(({ drawer }) => drawer.title === 'Gates')?.drawer.drawerId ?? '';
      await ask(service, 'collectionAdd', { name: 'zebras', add: [gates] });
      expect((await members())[0]).toEqual(['Gates are shut at night.', true]);
      const inside = { ...which, query: 'gates', rank: 'lexical' as const, limit: 1 };
      const { hits: one } = await askWide(service, operations.collectionQuery, inside, asking());
      expect(one.map(({ drawer }) => drawer.drawerId)).toEqual([gates]);
      const changed = await ask(service, 'collectionExclude', { name: 'zebras', ids: [gates] });
      expect([changed.created, changed.collection.added, changed.collection.excluded]).toEqual([false, 0, 1]);
      expect((await members()).flat()).not.toContain('Gates are shut at night.');
      await ask(service, 'collectionRemove', { name: 'zebras', ids: [gates] });
      const { collections } = await ask(service, 'collectionList', {});
      expect(collections.map(({ name, excluded }) => [name, excluded])).toEqual([['zebras', 0]]);
      // Without a question it contains the newest that its filter allows.
      await ask(service, 'collectionAdd', { name: 'talks', filter: { type: 'conversation' } });
      const talks = await ask(service, 'collectionShow', { name: 'talks' });
      expect(talks.drawers.map(({ score }) => score)).toEqual([null, null]);
      await ask(service, 'collectionDrop', { name: 'zebras' });
      const gone = ask(service, 'collectionShow', which);
      await expect(gone).rejects.toMatchObject({ code: 'not-found', hint: 'collections: talks' });
      await expect(ask(service, 'collectionAdd', { name: 'none' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    inWhole('gives each task to one taker, and keeps what came of it', async () => {
      const add = (text: string, agent?: string) => ask(service, 'taskAdd', { text, for: agent });
      const first = await add('Oil the gate.');
      const id = first.task?.id ?? 0;
      expect(first.task).toMatchObject({ state: 'open', added_by: 'tester', agent: null });
      await add('Paint it.', 'Codex');
      const taken = await Promise.all(['pi', 'kimi'].map((by) => ask(service, 'taskTake', { by })));
      const texts = taken.flatMap(({ task }) => (task === null ? [] : [task.text]));
      expect(texts).toEqual(['Oil the gate.']);
      expect((await ask(service, 'taskTake', { by: 'CODEX' })).task?.text).toBe('Paint it.');
      const { tasks, total } = await ask(service, 'taskList', { limit: 1, offset: 1 });
      expect([total, tasks.length]).toEqual([2, 1]);
      const done = await ask(service, 'taskDone', { id, result: 'in May' });
      expect(done.task).toMatchObject({ state: 'done', result: 'in May' });
      const again = ask(service, 'taskDone', { id });
      await expect(again).rejects.toMatchObject({ code: 'failed' });
      const unknown = ask(service, 'taskTake', { id: 99, by: 'pi' });
      await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
      expect((await ask(service, 'taskDrop', { id })).task?.text).toBe('Oil the gate.');
      expect((await ask(service, 'taskList', {})).total).toBe(1);
    });

    inWhole('forgets what its preview showed, and nothing else', async () => {
      const draft = { wing: 'wing_notes', room: 'log', content: 'Gates squeak at noon.\n' };
      const { source_file: name, drawer_id } = await ask(service, 'addDrawer', draft);
      const { source_file: copy } = await ask(service, 'addDrawer', { ...draft, room: 'copy' });
      const fact = {
        ...{ subject: 'gate', predicate: 'does', object: 'squeak' },
        source_drawer_id: drawer_id,
      };
      await ask(service, 'kgAdd', fact, asking());
      await ask(service, 'collectionAdd', { name: 'gates', add: [fact.source_drawer_id] });
      const preview = await ask(service, 'forgetDryRun', { source: name });
      expect(preview.sources).toMatchObject([{ source_file: name, room: 'log', drawers: 1 }]);
      expect(preview).toMatchObject({ drawers_removed: 1, facts: [{}], already_forgotten: 0, backups: [] });
      expect(preview.collections).toEqual(['gates']);
      expect(preview.copies).toMatchObject([{ source_file: copy, drawers: 1 }]);

      await ask(service, 'kgAdd', { ...fact, object: 'grate' }, asking());
      const late = ask(service, 'forget', { source: name, preview: preview.preview });
      await expect(late).rejects.toMatchObject({ name: 'UserError', code: 'changed' });
      const now = await ask(service, 'forgetDryRun', { source: name });
      const done = await ask(service, 'forget', { source: name, preview: now.preview });
      expect(done).toMatchObject({ sources: preview.sources, drawers_removed: 1, facts_removed: 2 });
      expect(done.log_emptied).toBe(true);
      const again = await ask(service, 'forgetDryRun', { source: name });
      expect(again).toMatchObject({ sources: [], drawers_removed: 0 });
      for (const several of [{}, { source: name, run: 1 }])
        await expect(ask(service, 'forgetDryRun', several)).rejects.toMatchObject({ code: 'usage' });
      const { hits } = await find(service, question('squeak', { rank: 'lexical' }), asking());
      expect(hits.map(({ drawer }) => drawer.sourceFile)).toEqual([copy]);
    });

    inWhole('shows the same id of a preview until something else would go', async () => {
      const wing = { wing: 'wing_notes' };
      const draft = { wing: 'wing_notes', room: 'log', content: 'The gate squeaks.\n' };
      const none = await ask(service, 'forgetDryRun', wing);
      await ask(service, 'addDrawer', draft);
      const one = await ask(service, 'forgetDryRun', wing);
      await ask(service, 'addDrawer', { ...draft, wing: 'wing_other' });
      expect([none.sources.length, one.sources.length]).toEqual([0, 1]);
      expect((await ask(service, 'forgetDryRun', wing)).preview).toBe(one.preview);
      await ask(service, 'addDrawer', { ...draft, content: 'It is oiled.\n' });
      expect(
        new Set([none.preview, one.preview, (await ask(service, 'forgetDryRun', wing)).preview]).size,
      ).toBe(3);
    });

    it('rejects a call that is cancelled, with the reason', async () => {
      const cancelled = new AbortController();
      const call = find(service, question('zebra'), asking({ signal: cancelled.signal }));
      cancelled.abort(new Error('no longer wanted'));
      await expect(call).rejects.toThrow('no longer wanted');
    });

    it('answers many calls at the same time', async () => {
      const words = ['zebra', 'giraffe', 'gates'];
      const one: Found[] = [];
      for (const word of words) one.push(await find(service, question(word), asking()));
      const asked = Array.from({ length: 12 }, (_, n) => n % words.length);
      const all = await Promise.all(asked.map((n) => find(service, question(words[n] ?? ''), asking())));
      expect(all.map(idsOf)).toEqual(asked.map((n) => idsOf(one[n])));
    });
  });
}

/** @returns the answer, which is plain data of its schema: nothing more, nothing less, and the same after JSON */
function plainOf<Answer>(schema: { parse(value: unknown): unknown }, answer: Answer): Answer {
  const plain: unknown = JSON.parse(JSON.stringify(answer));
  expect(schema.parse(plain)).toEqual(plain);
  return answer;
}
