import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configPath, loadConfig } from '../../src/config/index.js';
import { defaultSettings, resolveConfig } from '../../src/config/settings.js';
import { asFile, asYaml } from '../../src/config/show.js';
import type { Texts } from '../../src/config/texts.js';
import { UserError } from '../../src/core/errors.js';
import { temporaryFolder } from '../support/palace.js';

class Machine {
  readonly home = temporaryFolder();
  readonly folders = { home: this.home, config: join(this.home, '.config') };
  readonly path = join(this.folders.config, 'mempalace', 'config.yaml');

  write(content: string | Uint8Array): this {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, content);
    return this;
  }

  load(env: NodeJS.ProcessEnv = {}, flags: Texts = {}) {
    return loadConfig({ env, folders: this.folders, flags });
  }

  /** The error, without the file's path. */
  async refusal(
    env: NodeJS.ProcessEnv = {},
    flags: Texts = {},
  ): Promise<{ message: string; hint?: string; code: string }> {
    const error: unknown = await this.load(env, flags).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof UserError)) throw new Error(`not refused: ${String(error)}`);
    const { message, hint, code } = error;
    return { message: message.replace(this.path, 'FILE'), code, ...(hint === undefined ? {} : { hint }) };
  }
}

const FULL = `# all of it
palace: ~/memory
model: bge-small-en-v1.5
search:
  limit: 12
  rank: compound
  by: drawer
  min_score: 0.2
  weights: { relevance: 2, recency: 1, importance: 0 }
  half_life: 2w
  cold: [old, wing_shop/attic]
wake_up:
  tokens: 1200
  identity: ~/who.txt
  patterns: off
  prompt: on
privacy:
  exclude_patterns:
    - 'diary/**'
  rules:
    - kind: ticket
      pattern: 'ACME-\\d{4,8}'
broker:
  use: off
  idle: 90m
  watch: 2m
uses: off
summary:
  url: http://127.0.0.1:11434/v1
  model: llama3.2
  token_file: ~/key
  context: 8192
  daily_budget: 5000
  auto: on
timezone: Asia/Kolkata
`;

describe('loadConfig', () => {
  it('returns the defaults without a file', async () => {
    const machine = new Machine();
    const { origins, ...config } = await machine.load();
    expect(config).toEqual({
      palace: join(machine.home, '.mempalace/palace'),
      model: 'use-lite-int8',
      search: {
        limit: 5,
        rank: 'relevance',
        by: 'source',
        minScore: 0,
        weights: { relevance: 0.5, recency: 0.25, importance: 0.25 },
        halfLifeDays: 30,
        cold: [],
      },
      wakeUp: {
        tokens: 900,
        identity: join(machine.home, '.mempalace/identity.txt'),
        patterns: 'on',
        prompt: 'off',
      },
      privacy: { excludePatterns: [], rules: [] },
      timezone: '',
      uses: 'on',
      broker: { use: 'auto', idleMinutes: 30, watchMinutes: 0 },
      summary: { url: '', model: '', tokenFile: '', context: 4096, dailyBudget: 100_000, auto: 'off' },
    });
    expect(new Set(origins.values())).toEqual(new Set(['default']));
    expect([...origins.keys()]).toEqual(Object.keys(defaultSettings(machine.folders)));
  });

  it('reads every setting with its line number', async () => {
    const machine = new Machine().write(FULL);
    const { origins, ...config } = await machine.load();
    expect(config).toEqual({
      palace: join(machine.home, 'memory'),
      model: 'bge-small-en-v1.5',
      search: {
        limit: 12,
        rank: 'compound',
        by: 'drawer',
        minScore: 0.2,
        weights: { relevance: 2, recency: 1, importance: 0 },
        halfLifeDays: 14,
        cold: ['old', 'wing_shop/attic'],
      },
      wakeUp: { tokens: 1200, identity: join(machine.home, 'who.txt'), patterns: 'off', prompt: 'on' },
      privacy: { excludePatterns: ['diary/**'], rules: [{ kind: 'ticket', pattern: 'ACME-\\d{4,8}' }] },
      timezone: 'Asia/Kolkata',
      uses: 'off',
      broker: { use: 'off', idleMinutes: 90, watchMinutes: 2 },
      summary: {
        url: 'http://127.0.0.1:11434/v1',
        model: 'llama3.2',
        tokenFile: join(machine.home, 'key'),
        context: 8192,
        dailyBudget: 5000,
        auto: 'on',
      },
    });
    const lines = [...origins].map(([key, origin]) => [key, Number(origin.slice(machine.path.length + 1))]);
    expect(Object.fromEntries(lines)).toEqual({
      palace: 2,
      model: 3,
      'search.limit': 5,
      'search.rank': 6,
      'search.by': 7,
      'search.min_score': 8,
      'search.weights.relevance': 9,
      'search.weights.recency': 9,
      'search.weights.importance': 9,
      'search.half_life': 10,
      'search.cold': 11,
      'wake_up.tokens': 13,
      'wake_up.identity': 14,
      'wake_up.patterns': 15,
      'wake_up.prompt': 16,
      'privacy.exclude_patterns': 18,
      'privacy.rules': 20,
      'broker.use': 24,
      'broker.idle': 25,
      'broker.watch': 26,
      uses: 27,
      'summary.url': 29,
      'summary.model': 30,
      'summary.token_file': 31,
      'summary.context': 32,
      'summary.daily_budget': 33,
      'summary.auto': 34,
      timezone: 35,
    });
  });

  it.each(['', '# nothing\n', 'search:\n', 'search:\n  limit:\nmodel: ~\n', '---\n'])(
    'an empty file and settings without a value change nothing: %j',
    async (text) => {
      const machine = new Machine();
      const before = await machine.load();
      expect(await machine.write(text).load()).toEqual(before);
    },
  );

  it('for each value, prefers flags, then the environment, the file and the default', async () => {
    const machine = new Machine().write('search: { limit: 6, rank: compound, weights: { recency: 1 } }\n');
    const env = { MEMPALACE_SEARCH_LIMIT: '7', MEMPALACE_SEARCH_BY: 'source', MEMPALACE_SEARCH_RANK: '' };
    const { search, origins } = await machine.load(env, { 'search.limit': '8', 'search.rank': undefined });
    expect(search).toMatchObject({
      limit: 8,
      by: 'source',
      rank: 'compound',
      weights: { relevance: 0.5, recency: 1, importance: 0.25 },
    });
    expect(origins.get('search.limit')).toBe('--limit');
    expect(origins.get('search.by')).toBe('MEMPALACE_SEARCH_BY');
    expect(origins.get('search.rank')).toBe(`${machine.path}:1`);
    expect(origins.get('search.weights.relevance')).toBe('default');
    expect((await machine.load(env)).search.limit).toBe(7);
  });

  it('reads the former default of search.by as the present one', async () => {
    const { search, origins } = await new Machine().write('search: { by: auto }\n').load();
    expect(search.by).toBe('source');
    expect(origins.get('search.by')).not.toBe('default');
  });

  it('has a variable for every value, which overrides the file', async () => {
    const machine = new Machine().write(FULL);
    const env = {
      MEMPALACE_PALACE_PATH: '~/other',
      MEMPALACE_MODEL: 'http://127.0.0.1:11434/v1#nomic-embed-text',
      MEMPALACE_SEARCH_LIMIT: '1',
      MEMPALACE_SEARCH_RANK: 'relevance',
      MEMPALACE_SEARCH_BY: 'auto',
      MEMPALACE_SEARCH_MIN_SCORE: '0.75',
      MEMPALACE_SEARCH_WEIGHTS_RELEVANCE: '0',
      MEMPALACE_SEARCH_WEIGHTS_RECENCY: '0',
      MEMPALACE_SEARCH_WEIGHTS_IMPORTANCE: '3',
      MEMPALACE_SEARCH_HALF_LIFE: '12h',
      MEMPALACE_WAKE_UP_TOKENS: '100',
      MEMPALACE_WAKE_UP_IDENTITY: '/etc/who',
    };
    const { origins, ...config } = await machine.load(env);
    expect(config).toMatchObject({
      palace: join(machine.home, 'other'),
      model: 'http://127.0.0.1:11434/v1#nomic-embed-text',
      search: {
        limit: 1,
        rank: 'relevance',
        by: 'source',
        minScore: 0.75,
        weights: { relevance: 0, recency: 0, importance: 3 },
        halfLifeDays: 0.5,
      },
      wakeUp: { tokens: 100, identity: '/etc/who' },
    });
    expect([...origins.values()].filter((origin) => origin.startsWith('MEMPALACE_')).sort()).toEqual(
      Object.keys(env).sort(),
    );
  });

  it('reads the file of MEMPALACE_CONFIG; a missing file counts as empty', async () => {
    const machine = new Machine();
    const other = join(machine.home, 'other.yaml');
    writeFileSync(other, 'model: x\n');
    expect((await machine.load({ MEMPALACE_CONFIG: '~/other.yaml' })).model).toBe('x');
    expect((await machine.write(FULL).load({ MEMPALACE_CONFIG: '/dev/null' })).model).toBe('use-lite-int8');
    expect((await machine.load({ MEMPALACE_CONFIG: join(machine.home, 'none') })).model).toBe(
      'use-lite-int8',
    );
    expect(configPath({ MEMPALACE_CONFIG: '' }, machine.folders)).toBe(machine.path);
  });

  it.each([
    ['search:\n  limt: 3\n', 'FILE:2:3: search: there is no setting "limt"', 'did you mean limit?'],
    ['serach:\n  limit: 3\n', 'FILE:1:1: there is no setting "serach"', 'did you mean search?'],
    [
      'privacy: { rules: [{ kind: a, patern: b }] }\n',
      'FILE:1:31: privacy.rules.0: there is no setting "patern"',
      'did you mean pattern?',
    ],
    ['__proto__: 1\n', 'FILE:1:1: there is no setting "__proto__"', undefined],
    [
      'search:\n  limit: many\n',
      'FILE:2:10: search.limit: a whole number from 1 to 4096 is wanted',
      undefined,
    ],
    ['search:\n  limit: 0\n', 'FILE:2:10: search.limit: a whole number from 1 to 4096 is wanted', undefined],
    [
      'search:\n  limit: 2.5\n',
      'FILE:2:10: search.limit: a whole number from 1 to 4096 is wanted',
      undefined,
    ],
    ['search:\n  rank: best\n', 'FILE:2:9: search.rank: relevance, compound or lexical is wanted', undefined],
    [
      'search:\n  half_life: 30\n',
      'FILE:2:14: search.half_life: a duration such as 12h, 30d or 2w is wanted',
      undefined,
    ],
    [
      'search:\n  half_life: 0d\n',
      'FILE:2:14: search.half_life: a duration such as 12h, 30d or 2w is wanted',
      undefined,
    ],
    [
      'search:\n  weights: { recency: -1 }\n',
      'FILE:2:23: search.weights.recency: a number of at least 0 is wanted',
      undefined,
    ],
    [
      'search:\n  weights: { recency: .inf }\n',
      'FILE:2:23: search.weights.recency: a number of at least 0 is wanted',
      undefined,
    ],
    [
      'search:\n  cold:\n    - a\n    - a/b/c\n',
      'FILE:4:7: search.cold.1: a wing or wing/room is wanted',
      undefined,
    ],
    ['search:\n  cold: old\n', 'FILE:2:9: search.cold: a list (a line with - for each) is wanted', undefined],
    ['search: 3\n', 'FILE:1:9: search: a mapping (name: value) is wanted', undefined],
    ['- a\n', 'FILE:1:1: a mapping (name: value) is wanted', undefined],
    ['palace: memory\n', 'FILE:1:9: palace: a path that starts with / or ~/ is wanted', undefined],
    [
      "privacy:\n  exclude_patterns: ['../x']\n",
      'FILE:2:22: privacy.exclude_patterns.0: a pattern may not reach outside (..)',
      undefined,
    ],
    [
      "privacy:\n  rules:\n    - { kind: 'A b', pattern: x }\n",
      'FILE:3:15: privacy.rules.0.kind: a kind of lower-case letters, digits and dashes is wanted',
      undefined,
    ],
    [
      "privacy:\n  rules:\n    - kind: a\n      pattern: 'a*'\n",
      'FILE:4:16: privacy.rules.0.pattern: it matches the empty text',
      undefined,
    ],
    [
      'privacy:\n  rules:\n    - kind: a\n',
      'FILE:3:7: privacy.rules.0.pattern: a regular expression is wanted',
      undefined,
    ],
    ['model: a\nmodel: b\n', 'FILE:2:1: Map keys must be unique', undefined],
    ['model: a\n---\nmodel: b\n', 'FILE:2:1: more than one document (---)', undefined],
    ['search: {limit: 3\n', undefined, undefined],
    [`model: ${'['.repeat(9_000)}`, undefined, undefined],
    ['model: *nobody\n', undefined, undefined],
  ])('refuses %j with file, line, column and reason', async (text, message, hint) => {
    const refusal = await new Machine().write(text).refusal();
    expect(refusal.code).toBe('config');
    expect(refusal.message).toMatch(/^FILE:\d+:\d+: \S/);
    if (message !== undefined) expect(refusal.message).toBe(message);
    if (hint !== undefined) expect(refusal.hint).toBe(hint);
  });

  it('refuses weights that are all zero, from any origin', async () => {
    const machine = new Machine().write('search: { weights: { relevance: 0, recency: 0 } }\n');
    const { message } = await machine.refusal({ MEMPALACE_SEARCH_WEIGHTS_IMPORTANCE: '0' });
    expect(message).toBe('FILE:1, MEMPALACE_SEARCH_WEIGHTS_IMPORTANCE: search.weights: all of them are 0');
    expect((await machine.load()).search.weights).toEqual({ relevance: 0, recency: 0, importance: 0.25 });
  });

  it('names the wrong variable or flag', async () => {
    const machine = new Machine();
    expect(await machine.refusal({ MEMPALACE_SEARCH_LIMIT: 'x' })).toMatchObject({
      code: 'config',
      message: 'MEMPALACE_SEARCH_LIMIT: a whole number from 1 to 4096 is wanted, not "x"',
    });
    expect(await machine.refusal({}, { 'search.min_score': '1.5' })).toMatchObject({
      code: 'usage',
      message: '--min-score: a number from 0 to 1 is wanted, not "1.5"',
    });
  });

  it('says why a file cannot be read', async () => {
    const machine = new Machine();
    mkdirSync(machine.path, { recursive: true });
    expect((await machine.refusal()).message).toBe('FILE: cannot be read: it is a folder');
    const latin = new Machine().write(Buffer.from('model: caf\xe9', 'latin1'));
    expect((await latin.refusal()).message).toBe('FILE: cannot be read: it is not UTF-8');
    const big = new Machine().write(`# ${'x'.repeat(256 * 1024)}`);
    expect((await big.refusal()).message).toBe('FILE: cannot be read: it is larger than 256 KB');
    const pipe = new Machine();
    mkdirSync(dirname(pipe.path), { recursive: true });
    execFileSync('mkfifo', [pipe.path]);
    expect((await pipe.refusal()).message).toBe('FILE: cannot be read: it is not a file');
  });

  it('reads or refuses any content of the file', async () => {
    const machine = new Machine();
    const key = fc.constantFrom(
      'palace',
      'search',
      'limit',
      'privacy',
      'rules',
      'weights',
      'x',
      '&a',
      '*a',
      '<<',
      '!!set',
      '? a',
    );
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc
        .array(fc.tuple(key, fc.string({ maxLength: 8 })).map(([name, value]) => `${name}: ${value}`))
        .map((rows) => rows.join('\n')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        machine.write(content);
        await machine.load().catch((error: unknown) => {
          if (!(error instanceof UserError && error.code === 'config')) throw error;
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('showing the settings', () => {
  it('the output is a file with the same settings', async () => {
    const machine = new Machine().write(FULL);
    const { origins, ...config } = await machine.load({ MEMPALACE_SEARCH_HALF_LIFE: '36h' });
    for (const withOrigins of [false, true]) {
      const text = asYaml({ ...config, origins }, { origins: withOrigins });
      const { origins: _, ...again } = await new Machine().write(text).load();
      expect(again).toEqual(config);
    }
  });

  it('names the origin of each value', () => {
    const defaults = defaultSettings({ home: '/home/you' });
    const file = { values: { 'search.cold': ['old'] }, origins: { 'search.cold': '/c.yaml:3' } };
    const flags = { values: { model: 'm' }, origins: { model: '--model' } };
    const config = resolveConfig(defaults, file, { values: {}, origins: {} }, flags);
    expect(asYaml(config, { origins: true })).toBe(`palace: /home/you/.mempalace/palace # default
model: m # --model
search:
  limit: 5 # default
  rank: relevance # default
  by: source # default
  min_score: 0 # default
  weights:
    relevance: 0.5 # default
    recency: 0.25 # default
    importance: 0.25 # default
  half_life: 30d # default
  # /c.yaml:3
  cold:
    - old
wake_up:
  tokens: 900 # default
  identity: /home/you/.mempalace/identity.txt # default
  patterns: on # default
  prompt: off # default
privacy:
  # default
  exclude_patterns: []
  # default
  rules: []
timezone: null # default
uses: on # default
broker:
  use: auto # default
  idle: 30m # default
  watch: off # default
summary:
  url: null # default
  model: null # default
  token_file: null # default
  context: 4096 # default
  daily_budget: 100000 # default
  auto: off # default`);
    expect(asFile(config)).toMatchObject({ model: 'm', search: { cold: ['old'], half_life: '30d' } });
  });
});
