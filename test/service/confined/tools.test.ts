import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.js';
import { ALL_TOOLS } from '../../../src/mcp/registry.js';
import type { Host, Tool } from '../../../src/mcp/tool.js';
import { type Engine, Toolbox } from '../../../src/mcp/toolbox.js';
import type { AnyOperation } from '../../../src/operations/operation.js';
import { resolveFolders } from '../../../src/platform/folders.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import type { SqliteService } from '../../../src/service/sqlite/index.js';
import { OPERATIONS, type Operations } from '../../support/ask.js';
import { temporaryFolder } from '../../support/palace.js';
import { attacks, attacksOn, type Ids } from './attacks.js';
import { idsOfOther, MARK, OTHER, OWN, openTwoWings } from './two-wings.js';

const caller = { client: undefined, signal: new AbortController().signal, folders: async () => ['/own'] };

/** Arguments for each tool that a confined client gets. */
function attacksOf(ids: Ids): Record<string, Record<string, unknown>[]> {
  const all = attacks(ids);
  const shown = (all.show ?? []).map(({ name }) => name ?? '');
  const others = [
    ['mempalace_show', [...shown.map((id) => ({ id, radius: 20 })), { ids: shown.slice(-20) }]],
    ['mempalace_get_aaak_spec', [{}]],
  ] as const;
  const made = (Object.entries(OPERATIONS) as [string, AnyOperation][]).flatMap(([name, operation]) => {
    const { name: tool = '' } = operation.tool ?? {};
    const takes = ALL_TOOLS.find((each) => each.name === tool)?.input.shape;
    if (takes === undefined || typeof operation.inWing === 'string') return [];
    const given = attacksOn(operation, all[name as keyof Operations], takes, ({ tool }) => tool);
    // Its argument has other values than the field.
    return [
      [tool, tool === 'mempalace_search' ? [...given, { query: 'lamp', scope: 'here' }] : given] as const,
    ];
  });
  return Object.fromEntries([...made, ...others].map(([name, given]) => [name, [...given]]));
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
  let asked: ReturnType<typeof attacksOf>;
  beforeEach(async () => {
    service = (await openTwoWings()).palace;
    asked = attacksOf(await idsOfOther(service));
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
