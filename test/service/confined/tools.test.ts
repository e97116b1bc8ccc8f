import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.js';
import { ALL_TOOLS } from '../../../src/mcp/registry.js';
import type { Host, Tool } from '../../../src/mcp/tool.js';
import { type Engine, Toolbox } from '../../../src/mcp/toolbox.js';
import { resolveFolders } from '../../../src/platform/folders.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import type { SqliteService } from '../../../src/service/sqlite/index.js';
import { temporaryFolder } from '../../support/palace.js';
import { idsOfOther, MARK, OTHER, OWN, openTwoWings, SAME } from './two-wings.js';

const caller = { client: undefined, signal: new AbortController().signal, folders: async () => ['/own'] };

type Ids = Awaited<ReturnType<typeof idsOfOther>>;

/** Arguments for each tool that a confined client gets. */
function attacks({ drawers, written }: Ids): Record<string, Record<string, unknown>[]> {
  const names = [...drawers, 'doc:q/README.md', 'ses_other', 'README.md', 'plans.md', 'drawer_00000000'];
  const item = { wing: OWN, room: 'notes', content: 'A new lamp.' };
  const note = { agent_name: 'pi', entry: 'The lamp is out.' };
  const places = [{}, { wing: OTHER }, { room: `${MARK}_room` }, { wing: OWN }];
  return {
    mempalace_list_wings: [{}],
    mempalace_list_rooms: places,
    mempalace_get_taxonomy: [{}],
    mempalace_search: [
      ...places,
      { scope: 'here' },
      { source_file: '*' },
      { session_id: 'ses_other' },
      { file: 'lamp.ts' },
      { file: '/own/lamp.ts' },
      { type: 'document', links: true },
      { priority: 'high', offset: 1, limit: 100 },
      { max_distance: 0.0001 },
    ].flatMap((given) => ['lamp', '"lamp red"', 'nothing'].map((query) => ({ query, ...given }))),
    mempalace_timeline: names.map((drawer_id) => ({ drawer_id, radius: 20 })),
    mempalace_show: [...names.map((id) => ({ id, radius: 20 })), { ids: names.slice(-20) }],
    mempalace_wake_up: [{}, { wing: OTHER }, { agent_name: 'pi', max_tokens: 5_000 }],
    mempalace_get_drawer: names.map((drawer_id) => ({ drawer_id })),
    mempalace_list_drawers: [...places, { since: '2020-01-01', limit: 100 }],
    mempalace_check_duplicate: [{ content: SAME, threshold: 0 }, { content: SAME }],
    mempalace_resume: [{}, { session: 'ses_other' }, { session: 'checkpoint:session:o:ses_other/end.md' }],
    mempalace_add_drawer: [item, { ...item, wing: OTHER }, { ...item, content: SAME }],
    mempalace_checkpoint: [
      { items: [item, { ...item, content: SAME }], dedup_threshold: 0, diary: note },
      { items: [item, { ...item, wing: OTHER }] },
      { items: [], diary: { ...note, wing: OTHER } },
    ],
    mempalace_update_drawer: [
      ...drawers.map((drawer_id) => ({ drawer_id, wing: OWN })),
      { drawer_id: written, content: 'Mine.' },
    ],
    mempalace_delete_drawer: names.map((drawer_id) => ({ drawer_id })),
    mempalace_diary_write: [note, { ...note, wing: OTHER }],
    mempalace_diary_read: [{ agent_name: 'pi' }, { agent_name: 'pi', wing: OTHER }],
    mempalace_get_aaak_spec: [{}],
  };
}

/** An answer may say again which wing and room were named. */
const withoutEcho = (text: string, { wing, room }: Record<string, unknown>): string =>
  text.replaceAll(String(wing), '').replaceAll(String(room), '');

async function toolboxOf(service: SqliteService, changes: { readOnly?: boolean; wing?: string | undefined }) {
  const home = temporaryFolder();
  const config = await loadConfig({
    env: { HOME: home },
    folders: resolveFolders({ HOME: home }),
    flags: {},
  });
  const host = {
    folder: home,
    config: { ...config, search: { ...config.search, cold: [OTHER] } },
    known: () => undefined,
    sanitiser: () => createSanitiser({ redact: true }),
    program: async () => {
      throw new Error('a program was run');
    },
  } as unknown as Host;
  const engine = { host, service, log: undefined } as unknown as Engine;
  const client = { agent: 'ada', folders: [], deadlineMs: 20_000 };
  return new Toolbox({ engine, tools: ALL_TOOLS, readOnly: false, wing: OWN, ...client, ...changes });
}

describe('a client that is confined to a wing', () => {
  let service: SqliteService;
  let asked: ReturnType<typeof attacks>;
  beforeEach(async () => {
    service = (await openTwoWings()).palace;
    asked = attacks(await idsOfOther(service));
  });
  afterEach(() => service.close());

  const said = async (toolbox: Toolbox, tool: Tool, given: object) =>
    JSON.stringify(await toolbox.call(tool, given, caller));

  it('gets only tools that are attacked here, and they tell nothing of the other wing', async () => {
    const toolbox = await toolboxOf(service, {});
    const names = toolbox.list().map(({ name }) => name);
    expect(names).toEqual(Object.keys(asked).sort((a, b) => names.indexOf(a) - names.indexOf(b)));
    for (const [name, inputs] of Object.entries(asked))
      for (const given of inputs) {
        const tool = toolbox.find(name);
        if (tool === undefined) throw new Error(`there is no ${name}`);
        const text = await said(toolbox, tool, given);
        const about = `${name} ${JSON.stringify(given)}: ${text}`;
        expect(withoutEcho(text, given).includes(MARK), about).toBe(false);
        expect(text, about).not.toMatch(/a program was run|another wing"|"code":"bug/);
      }
  });

  it('is attacked with what tells the mark to others', async () => {
    const toolbox = await toolboxOf(service, { wing: undefined });
    const told = new Set<string>();
    for (const [name, inputs] of Object.entries(asked))
      for (const given of inputs) {
        const tool = toolbox.find(name);
        if (tool !== undefined && (await said(toolbox, tool, { ...given, wing: undefined })).includes(MARK))
          told.add(name);
      }
    const silent = Object.keys(asked).filter((name) => !told.has(name));
    // They tell what was written or removed, and nothing else.
    expect(silent).toEqual([
      'mempalace_add_drawer',
      'mempalace_delete_drawer',
      'mempalace_diary_write',
      'mempalace_get_aaak_spec',
    ]);
  });

  it('gets only readers with a token that may only read', async () => {
    const toolbox = await toolboxOf(service, { readOnly: true });
    expect(toolbox.writes).toEqual([]);
    expect(toolbox.find('mempalace_search')).toBeDefined();
    expect(toolbox.find('mempalace_status')).toBeUndefined();
  });
});
