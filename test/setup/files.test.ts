import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { printRemarks } from '../../src/cli/commands/setup/print.js';
import { inPackage } from '../../src/platform/in-package.js';
import { AGENTS, type Agent, agentNamed, agentsFound, type SetupPlaces } from '../../src/setup/agents.js';
import { apply } from '../../src/setup/apply.js';
import { AGENT_IDS, FILE_STEPS } from '../../src/setup/pieces.js';
import { type Planned, planSetup, planUndo } from '../../src/setup/plan.js';
import { readRecord, writeRecord } from '../../src/setup/record.js';
import { temporaryFolder } from '../support/palace.js';

const STEPS = FILE_STEPS;

function machine() {
  const home = temporaryFolder();
  const places: SetupPlaces = {
    home,
    config: join(home, '.config'),
    data: join(home, '.local', 'share'),
    env: {},
    program: (name) => `/opt/my tools/bin/${name}`,
  };
  const doAll = (plan: Planned[]) => {
    const record = readRecord(places);
    const save = () => writeRecord(places, record);
    for (const each of plan) if (each.kind !== 'kept') apply(each, record, save);
    return plan.filter(({ kind }) => kind !== 'kept');
  };
  const chosen = (agents: readonly Agent[], steps: readonly (typeof STEPS)[number][]) => ({
    agents,
    steps,
    places,
    record: readRecord(places),
  });
  return {
    home,
    places,
    doAll,
    plan: (agents = AGENTS) => planSetup(chosen(agents, STEPS)),
    setUp: (agents = AGENTS, steps = [...STEPS]) => doAll(planSetup(chosen(agents, steps))),
    undo: (agents = AGENTS, steps = [...STEPS], all = true) =>
      doAll(planUndo({ ...chosen(agents, steps), all })),
  };
}

const JSON_TEXTS = {
  empty: '',
  object: '{}',
  'object with a line': '{\n}\n',
  minified: '{"a":1,"b":[{"c":"}"}]}',
  'without a final newline': '{\n  "model": "x"\n}',
  tabs: '{\n\t"model": "x",\n\t"list": [1,\n2]\n}\n',
  crlf: '{\r\n  "model": "x",\r\n  "mcpServers": {}\r\n}\r\n',
  'foreign hooks': `{
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] }
    ],
    "PreToolUse": [{ "matcher": "Bash", "hooks": [] }],
    "SessionEnd": []
  },
  "permissions": { "allow": ["Bash(git *)"] }
}
`,
  'other servers': `{
    "mcpServers": {
        "other": { "command": "x", "args": [] }
    },
    "mcp": { "other": { "type": "local", "command": ["x"] } }
}
`,
  'a server of another program under our name':
    '{"mcpServers":{"mempalace":{"command":"python","args":["-m","mempalace"]}},"mcp":{"mempalace":{"type":"local","command":["python"]}}}\n',
};
const COMMENTED = {
  comments: `// mine
{
  "theme": "dark", // "hooks": {}
  /* "mcp": {} */
  "hooks": {
    // when it stops
    "Stop": [], // none
  },
  "mcp": {
    // none yet
  },
}
`,
  'trailing commas':
    '{\n  "a": [1, 2,],\n  "mcp": { "x": {}, },\n  "hooks": { "Stop": [ { "hooks": [], }, ], },\n}\n',
};
const TOML_TEXTS = {
  empty: '',
  comment: '# mine\n',
  'an empty list of hooks': 'model = "x"\nhooks = []\n\n[x]\nhooks = []\n',
  'without a final newline': 'model = "x" # fast',
  crlf: 'model = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
  'foreign hooks': `model = "x"

[[hooks]]
event = "Stop"
command = "say done"

# about projects
[projects."/home/me"]
trust_level = """
[[hooks]]
not one
"""


`,
};

/** The configuration files of an agent, below the home folder. */
const FILES: readonly (readonly [agent: string, file: string, texts: Record<string, string>])[] = [
  ['claude-code', '.claude.json', { ...JSON_TEXTS, ...COMMENTED }],
  ['claude-code', '.claude/settings.json', { ...JSON_TEXTS, ...COMMENTED }],
  ['opencode', '.config/opencode/opencode.json', { ...JSON_TEXTS, ...COMMENTED }],
  ['opencode', '.config/opencode/opencode.jsonc', { ...JSON_TEXTS, ...COMMENTED }],
  ['codex', '.codex/config.toml', TOML_TEXTS],
  ['codex', '.codex/hooks.json', { ...JSON_TEXTS, ...COMMENTED }],
  ['cursor', '.cursor/mcp.json', { ...JSON_TEXTS, ...COMMENTED }],
  ['kimi', '.kimi/mcp.json', JSON_TEXTS],
  ['kimi', '.kimi/config.toml', TOML_TEXTS],
];
const CASES = FILES.flatMap(([agent, file, texts]) =>
  Object.entries(texts).map(([name, text]) => ({ agent, file, name, text })),
);

/** Names, modes and contents of everything below a folder. */
function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`];
      return [
        name,
        stat.isDirectory() ? '' : `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`,
      ];
    }),
  );
}

/** The values of a configuration file that are not ours. */
function othersIn(file: string, text: string): Record<string, unknown> {
  const values = file.endsWith('.toml')
    ? parseToml(text)
    : parseJsonc(text, [], { allowTrailingComma: true });
  const isForeign = (hook: unknown) => !JSON.stringify(hook).includes(' hook run --hook ');
  const isFull = (value: unknown) => Object.keys(Object(value)).length > 0;
  const others = Object.entries<Record<string, unknown[]>>(values).flatMap(([key, value]) => {
    if (!/^(?:mcp|hooks)/.test(key)) return [[key, value]];
    if (Array.isArray(value)) return [[key, value.filter(isForeign)]];
    const inner = Object.entries(value).flatMap(([name, each]) => {
      if (key !== 'hooks') return name === 'mempalace' ? [] : [[name, each]];
      return each.some(isForeign) ? [[name, each.filter(isForeign)]] : [];
    });
    return [[key, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(
    others.filter(([key, value]) => !/^(?:mcp|hooks)/.test(`${key}`) || isFull(value)),
  );
}

function put(home: string, file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('set up, and undone', () => {
  it.each(CASES)('$file: $name', ({ agent, file, text }) => {
    const { home, setUp, undo, places } = machine();
    const path = put(home, file, text);
    chmodSync(path, 0o640);
    const before = treeOf(home);
    const agents = [agentNamed(agent)];

    expect(setUp(agents).map((each) => each.file)).toContain(path);
    const after = readFileSync(path, 'utf8');
    expect(after).toContain('/opt/my tools/bin/mempalace');
    expect(/(?<!\r)\n/.test(after) && after.includes('\r')).toBe(false);
    if (text.trim() !== '') expect(othersIn(file, after)).toEqual(othersIn(file, text));
    for (const comment of text.match(/(?:\/\/|\/\*|#).*/g) ?? []) expect(after).toContain(comment);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(setUp(agents)).toEqual([]);

    undo(agents);
    expect(treeOf(home)).toEqual(before);
    expect(existsSync(join(places.data, 'mempalace'))).toBe(false);
    expect(undo(agents)).toEqual([]);

    // One step after the other, in both directions.
    for (const step of STEPS) setUp(agents, [step]);
    for (const step of STEPS) undo(agents, [step]);
    expect(treeOf(home)).toEqual(before);
  });

  it('every agent on an empty machine: all files and folders go again', () => {
    const { home, setUp, undo } = machine();
    expect(setUp().length).toBeGreaterThan(10);
    expect(setUp()).toEqual([]);
    undo();
    expect(treeOf(home)).toEqual({});
  });

  it('takes out its own parts alone where others have written since', () => {
    const { home, setUp, undo } = machine();
    const agents = ['claude-code', 'kimi'].map(agentNamed);
    const kept = put(home, '.claude/settings.json', '{\n  "hooks": { "Stop": [] }\n}\n');
    setUp(agents);
    const edited = (file: string, change: (text: string) => string) => {
      const path = join(home, file);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    };
    edited('.claude.json', (text) => JSON.stringify({ ...JSON.parse(text), theme: 'dark' }));
    edited('.claude/settings.json', (text) => text.replace('{', '{ // mine'));
    edited('.kimi/config.toml', (text) => `${text}\n# mine\n[[hooks]]\nevent = "Stop"\ncommand = "say"\n`);
    edited('.kimi/mcp.json', (text) => text.replaceAll(/\s+/g, ' '));
    undo(agents);
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toEqual({ theme: 'dark' });
    const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '');
    expect(withoutBlanks(readFileSync(kept, 'utf8'))).toBe('{//mine"hooks":{"Stop":[]}}');
    expect(readFileSync(join(home, '.kimi/config.toml'), 'utf8').trim()).toBe(
      '# mine\n[[hooks]]\nevent = "Stop"\ncommand = "say"',
    );
    expect(existsSync(join(home, '.kimi/mcp.json'))).toBe(false);
  });

  it('edits the file behind a link, and does not touch what is damaged', () => {
    const { home, setUp, undo, plan } = machine();
    const real = put(home, 'dotfiles/settings.json', '{"a":1}\n');
    mkdirSync(join(home, '.claude'));
    symlinkSync(real, join(home, '.claude/settings.json'));
    const damaged = {
      '.claude.json': '{\n  "a": 1,\n  oops\n}\n',
      '.codex/config.toml': 'a = 1\nb =\n',
      '.codex/hooks.json': '{"hooks": {"Stop": {}}}',
      '.kimi/config.toml': 'hooks = [{ event = "Stop", command = "say" }]\n',
      '.kimi/mcp.json': '{"mcpServers": {}, }',
      '.config/opencode/plugins/mempalace.js': 'export const another = 1;\n',
    };
    for (const [file, text] of Object.entries(damaged)) put(home, file, text);
    symlinkSync(join(home, 'gone'), join(home, '.config/opencode/opencode.json'));
    const reasons = Object.fromEntries(
      plan().flatMap((each) =>
        each.kind === 'kept' && each.why !== undefined ? [[each.file.slice(home.length + 1), each.why]] : [],
      ),
    );
    expect(Object.keys(reasons).sort()).toEqual(
      [...Object.keys(damaged), '.config/opencode/opencode.json'].sort(),
    );
    expect(reasons['.claude.json']).toContain('in line 3');
    expect(reasons['.codex/config.toml']).toContain('in line 2');
    setUp();
    for (const [file, text] of Object.entries(damaged))
      expect(readFileSync(join(home, file), 'utf8')).toBe(text);
    expect(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('--hook session-start');
    undo();
    expect(readFileSync(real, 'utf8')).toBe('{"a":1}\n');
  });

  it('keeps what the user chose: an entry that is off, a server elsewhere, arguments, a hook by name', () => {
    const { home, setUp } = machine();
    const hook = (program: string, name = 'stop') =>
      `{ "hooks": [{ "type": "command", "command": "${program} hook run --hook ${name} --harness claude-code" }] }`;
    put(
      home,
      '.config/opencode/opencode.json',
      '{"mcp":{"mempalace":{"type":"local","command":["/x/bin/mempalace-mcp"],"enabled":false}}}',
    );
    put(home, '.cursor/mcp.json', '{"mcpServers":{"mempalace":{"url":"https://memory.example.org/mcp"}}}');
    put(
      home,
      '.codex/config.toml',
      '[mcp_servers.mempalace]\ncommand = "ssh"\nargs = ["-T", "host", "mempalace-mcp", "--agent", "ada"]\n',
    );
    put(
      home,
      '.kimi/mcp.json',
      '{"mcpServers":{"mempalace":{"command":"/old/bin/mempalace-mcp","args":["--read-only"],"env":{"A":"b"}}}}',
    );
    put(
      home,
      '.claude/settings.json',
      `{"hooks":{"Stop":[${hook('mempalace')}],"PostCompact":[${hook('/old/bin/mempalace', 'postcompact')}],"SessionEnd":[${hook('nice mempalace', 'session-end')}]}}`,
    );
    const changed = setUp().map(({ file }) => file);
    for (const file of ['.config/opencode/opencode.json', '.cursor/mcp.json', '.codex/config.toml'])
      expect(changed).not.toContain(join(home, file));
    expect(JSON.parse(readFileSync(join(home, '.kimi/mcp.json'), 'utf8')).mcpServers.mempalace).toEqual({
      command: '/opt/my tools/bin/mempalace-mcp',
      args: ['--read-only'],
      env: { A: 'b' },
    });
    const { hooks } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'));
    const commands = Object.fromEntries(
      Object.entries<{ hooks: { command: string }[] }[]>(hooks).map(([event, groups]) => [
        event,
        groups.flatMap((group) => group.hooks.map(({ command }) => command.split(' hook run')[0])),
      ]),
    );
    const own = "'/opt/my tools/bin/mempalace'";
    expect(commands).toEqual({
      Stop: ['mempalace'],
      PostCompact: [own],
      SessionEnd: ['nice mempalace'],
      SessionStart: [own],
      PreCompact: [own],
    });
  });

  it('writes over nothing that has changed since it was planned', () => {
    const { home, plan, doAll, places } = machine();
    const file = put(home, '.claude.json', '{"a":1}\n');
    const link = join(home, '.claude/skills/mempalace/SKILL.md');
    const planned = plan([agentNamed('claude-code')]);
    writeFileSync(file, '{"a":2}\n');
    put(home, '.claude/skills/mempalace/SKILL.md', 'mine');
    for (const each of planned.filter((one) => [file, link].includes(one.file)))
      expect(() => doAll([each])).toThrow('it has changed since; run mempalace setup again');
    expect(readFileSync(file, 'utf8')).toBe('{"a":2}\n');
    expect(readFileSync(link, 'utf8')).toBe('mine');
    expect(readRecord(places).files).toEqual([]);
  });

  it('notes what it writes before it writes it', () => {
    const { home, plan, places } = machine();
    const record = readRecord(places);
    for (const each of plan([agentNamed('claude-code')]))
      if (each.kind !== 'kept')
        expect(() =>
          apply(each, record, () => {
            throw new Error('disk full');
          }),
        ).toThrow('disk full');
    expect(treeOf(home)).toEqual({});
  });

  it('leaves files behind a linked folder, and links that it did not make', () => {
    const { home, setUp, undo } = machine();
    const [folder, plugins] = [join(home, 'mine'), join(home, '.config/opencode/plugins')];
    put(home, 'mine/SKILL.md', 'name: mempalace\n');
    mkdirSync(join(home, '.claude/skills'), { recursive: true });
    symlinkSync(folder, join(home, '.claude/skills/mempalace'));
    mkdirSync(dirname(plugins), { recursive: true });
    symlinkSync(inPackage('contrib/opencode'), plugins);
    const kept = treeOf(home);
    undo();
    expect(treeOf(home)).toEqual(kept);
    expect(setUp([agentNamed('opencode')], ['hooks'])).toEqual([]);

    const shared = join(home, '.agents/skills/mempalace');
    mkdirSync(shared, { recursive: true });
    symlinkSync(inPackage('SKILL.md'), join(shared, 'SKILL.md'));
    rmSync(join(home, '.claude/skills/mempalace'));
    symlinkSync(shared, join(home, '.claude/skills/mempalace'));
    const linked = treeOf(home);
    undo(AGENTS, ['skill']);
    expect(treeOf(home)).toEqual(linked);
  });

  it('keeps a copy of the plugin, which the user may have edited', () => {
    const { home, setUp, plan } = machine();
    const agents = [agentNamed('opencode')];
    const text = `${readFileSync(inPackage('contrib/opencode/mempalace.js'), 'utf8')}// mine\n`;
    const copy = put(home, '.config/opencode/plugins/mempalace.js', text);
    setUp(agents);
    expect(readFileSync(copy, 'utf8')).toBe(text);
    expect(plan(agents).filter(({ kind }) => kind !== 'kept')).toEqual([]);
  });

  it('links no extension where pi has this installation as a package', () => {
    const { home, setUp } = machine();
    put(home, '.pi/agent/settings.json', JSON.stringify({ packages: [{ source: inPackage('') }] }));
    expect(setUp([agentNamed('pi')], ['mcp', 'hooks'])).toEqual([]);
  });

  it('takes back what it wrote where a variable named the place then', () => {
    const { home, places, setUp, undo } = machine();
    const elsewhere = { CLAUDE_CONFIG_DIR: join(home, 'claude'), CODEX_HOME: join(home, 'codex') };
    for (const edit of [false, true]) {
      places.env = elsewhere;
      setUp(['claude-code', 'codex'].map(agentNamed));
      if (edit)
        for (const file of ['claude/settings.json', 'codex/config.toml'])
          put(home, file, `${readFileSync(join(home, file), 'utf8')}\n`);
      places.env = {};
      undo(AGENTS.slice(0, 1), [...STEPS], false);
      expect(existsSync(join(home, 'claude/skills/mempalace/SKILL.md'))).toBe(true);
      undo();
      expect(readRecord(places)).toMatchObject({ files: [], links: [] });
      expect(JSON.stringify(treeOf(home))).not.toContain('mempalace');
    }
  });

  it("keeps the user's empty lists of hooks where nothing is on record", () => {
    const { home, undo } = machine();
    const byHand = { hooks: [{ type: 'command', command: 'mempalace hook run --hook session-end' }] };
    const hooks = { Stop: [], SessionEnd: [byHand] };
    const file = put(home, '.claude/settings.json', JSON.stringify({ hooks }));
    undo([agentNamed('claude-code')]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ hooks: { Stop: [] } });
  });

  it('names a shared skill of another program once', () => {
    const { home, plan } = machine();
    const skill = put(home, '.agents/skills/mempalace/SKILL.md', 'name: other\n');
    expect(plan().filter(({ file }) => file === skill)).toMatchObject([
      { why: 'it belongs to another program' },
    ]);
  });

  it('says what the user does for agents that were changed', () => {
    const said: string[] = [];
    const say = (text: string) => said.push(text);
    const change = { agent: agentNamed('codex'), steps: ['hooks'], what: '/x', lines: [] } as const;
    printRemarks([{ ...change, done: 'skipped', why: 'disk full' }], false, { say, note: say });
    expect(said).toEqual([]);
    printRemarks([{ ...change, done: 'created' }], false, { say, note: say });
    expect(said).toEqual([expect.stringContaining('Start Codex again'), change.agent.remark]);
  });

  it('finds an agent by its program on PATH, which is no folder', () => {
    const { home, places } = machine();
    mkdirSync(join(home, 'bin/codex'), { recursive: true });
    chmodSync(put(home, 'bin/cursor', ''), 0o755);
    places.env = { PATH: join(home, 'bin') };
    expect(agentsFound(places).map(({ id }) => id)).toEqual(['cursor']);
  });

  it('knows each agent by name, and says which one was meant', () => {
    expect(AGENTS.map(({ id }) => id)).toEqual([...AGENT_IDS]);
    expect(() => agentNamed('claude')).toThrow(
      expect.objectContaining({ hint: 'did you mean claude-code?' }),
    );
    expect(() => agentNamed('opencod')).toThrow(expect.objectContaining({ hint: 'did you mean opencode?' }));
  });
});
