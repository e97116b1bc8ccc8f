import type * as z from 'zod/mini';
import { ABOUT, type About } from '../../../src/operations/fields.js';
import type { AnyOperation } from '../../../src/operations/operation.js';
import { OPERATIONS, type Operations } from '../../support/ask.js';
import { question } from '../palace.js';
import { type idsOfOther, MARK, OTHER, OWN, SAME } from './two-wings.js';

const standing = (folder: string) => ({ folders: [folder], locations: [{ folder }], checkouts: [folder] });

const page = { limit: 99, offset: 0 };
const around = { folders: ['/own'], locations: [{ folder: '/own' }] };
export type Ids = Awaited<ReturnType<typeof idsOfOther>>;
/** Operations that are refused as a whole have none. */
export type Attacks = {
  [Name in keyof Operations]?: z.input<ReturnType<Operations[Name]['input']>>[];
};

/** What somebody asks who wants to know or to change something of the other wing. */
export function attacks({ drawers, written, hash }: Ids): Attacks {
  const names = [...drawers, 'doc:q/README.md', 'doc:p/plans.md', 'session:o:ses_other', 'ses_other'];
  const ends = ['README.md', 'plans.md', 'copy.md', 'other.md', 'nothing.md', 'drawer_00000000', 'ses_none'];
  const shown = [...names, ...ends, '/own/doc:q/README.md', ...drawers.map((id) => id.slice(0, 15))];
  const start = {
    ...{ tokens: 2_000, weights: { recency: 1, importance: 1 }, half_life_days: 30, without: [] },
    patterns: true,
  };
  const identity = { file: '', text: `I am ${MARK}.` };
  const draft = { wing: OWN, room: 'notes', content: 'A new lamp.\n' };
  const filters: Parameters<typeof question>[1][] = [
    {},
    { wing: OTHER },
    { wing: '*' },
    { source: '*' },
    { source: `*${MARK}*` },
    { session: 'ses_other' },
    { directory: '/own' },
    { directory: `/${MARK}` },
    { file: 'lamp.ts' },
    { file: `/${MARK}/lamp.ts` },
    { type: 'document' },
    { type: `${MARK}-card` },
    { type: 'checkpoint' },
    { room: 'checkpoints' },
    { room: `${MARK}_room` },
    { priority: 'high' },
    { cold: true, directory: '/own' },
    { cold_places: [OTHER, `${OTHER}/${MARK}_room`, OWN] },
    { within: OTHER },
  ];
  return {
    search: [
      ...filters.flatMap((filter) =>
        ['lamp', `"${MARK}"`, `lamp "${MARK}"`, '"lamp red"', `${MARK} -lamp`].map((text) =>
          question(text, { ...filter, links: true, limit: 50 }),
        ),
      ),
      question('lamp', { around }),
      question('lamp', { around, here: true }),
      question('lamp', {
        here: true,
        around: { folders: [`/${MARK}`], locations: [{ folder: `/${MARK}` }] },
      }),
      question('lamp', { by: 'drawer', rank: 'lexical', offset: 1 }),
      question('nothing at all', { rank: 'lexical' }),
    ],
    timeline: [...drawers, 'drawer_00000000'].map((id) => ({ id, radius: 20, within: OTHER })),
    show: shown.map((name) => ({ name, paths: ['ses_other', 'README.md'], radius: 20, within: OTHER })),
    textPart: [{ sourceKey: 'doc:q/README.md', hash, offset: 0, chars: 99, within: OTHER }],
    wakeUp: [
      { start },
      { start, wing: OTHER },
      { start: { ...start, around: standing(`/${MARK}`) } },
      { start: { ...start, around: standing('/own') } },
      { start: { ...start, around: { folders: [], locations: [], checkouts: [] } } },
      { start, within: OTHER },
      { start: { ...start, identity }, agent: 'pi' },
      { start, agent: 'pi', max_tokens: 5_000, folder: '/own' },
    ],
    status: [{ runs: 9, short_writes: true }],
    metabolism: [{ least_uses: 1, old_days: 1 }],
    file: [{ file: 'lamp.ts' }],
    related: shown.map((name) => ({ name, folders: ['/own'] })),
    patterns: [{}],
    checkpointList: [{}, { session: 'ses_other' }, { within: OTHER }],
    checkpointShow: [
      { name: 'ses_other' },
      { name: 'checkpoint:session:o:ses_other/end.md' },
      { folders: ['/own'], within: OTHER },
    ],
    diaryRead: [page, { agent: 'pi', ...page }, { wing: OTHER, ...page }],
    diaryWrite: [
      { agent: 'pi', entry: 'The lamp is out.' },
      { agent: 'pi', entry: 'Here.', wing: OTHER },
    ],
    addDrawer: [draft, { ...draft, wing: OTHER }, { ...draft, content: SAME }],
    saveSession: [
      { items: [draft, { ...draft, wing: OTHER }] },
      { items: [draft, { ...draft, content: SAME }], dedup_threshold: 0, within: OTHER },
      { items: [{ ...draft, content: `${MARK} pays for lamps.\n` }], dedup_threshold: 0, within: OTHER },
      { items: [], diary: { agent_name: 'pi', entry: 'Here.', wing: OTHER } },
    ],
    updateDrawer: [...drawers, 'drawer_00000000'].flatMap((drawer_id) => [
      { drawer_id, content: 'Mine.', within: OTHER },
      { drawer_id, wing: OWN },
      { drawer_id: written, wing: OTHER },
    ]),
    deleteDrawer: [...drawers, 'drawer_00000000'].map((drawer_id) => ({ drawer_id, within: OTHER })),
    similarDrawers: [SAME, `The lamp of ${MARK} is red.\n`].map((content) => ({
      ...{ content, threshold: 0, within: OTHER },
    })),
    set: shown.map((name) => ({ name, folders: ['/'], pinned: false, within: OTHER })),
    listWings: [{}, { within: OTHER }],
    listRooms: [{}, { wing: OTHER }],
    listDays: [{}, { wing: OTHER }, { since: '2020-01-01' }],
    listWork: [{}, { wing: OTHER }, { since: '2020-01-01' }, { since: '2020-01-01', limit: 1, offset: 1 }],
    listSources: [
      {},
      { limit: 1, offset: 1 },
      { wing: OTHER },
      { priority: 'high' },
      { type: `${MARK}-card` },
    ],
    listRuns: [page],
    listDrawers: [{}, { wing: OTHER }, { since: '2020-01-01' }, { room: `${MARK}_room` }].map((place) => ({
      ...place,
      ...page,
    })),
    getDrawer: shown.map((drawer_id) => ({ drawer_id, within: OTHER })),
    map: [{}, { wing: OTHER }, { cold: [OTHER, `${OTHER}/${MARK}_room`] }],
  };
}

/**
 * The same for a channel of an operation, under its names, without what the channel does not take and what contains the
 * mark elsewhere than as the name of a wing or a room: an answer may say again what was asked.
 *
 * @param takes names of the channel
 */
export function attacksOn(
  operation: AnyOperation,
  inputs: readonly object[] | undefined,
  takes: object,
  nameOf: (field: Partial<About>) => unknown,
): Record<string, unknown>[] {
  const named = (inputs ?? []).map((input) => {
    const given = new Map(Object.entries(input));
    const fields = Object.entries(operation.input().shape).map(([name, schema]) => [
      String(nameOf(ABOUT.get(schema as z.ZodMiniType) ?? {}) ?? name),
      given.get(name),
    ]);
    return Object.fromEntries(
      fields.filter(([name = '', value]) => value !== undefined && Object.hasOwn(takes, name)),
    );
  });
  const silent = named.filter(
    ({ room: _, ...rest }) => !JSON.stringify(rest).replaceAll(OTHER, '').includes(MARK),
  );
  return [...new Map(silent.map((each) => [JSON.stringify(each), each])).values()];
}

/** The operation that a command is made of. */
export const operationOf = (command: string): [name: keyof Operations, operation: AnyOperation] | undefined =>
  (Object.entries(OPERATIONS) as [keyof Operations, AnyOperation][]).find(
    ([, { name }]) => command === `mempalace ${name}`,
  );
