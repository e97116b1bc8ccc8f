import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { filledMachine } from '../support/real-palace.js';
import { TestEnv } from '../support/test-env.js';

const PARTS = fileURLToPath(new URL('../../dist/parts/', import.meta.url));
const LOADS = fileURLToPath(new URL('../support/loads.mjs', import.meta.url));

interface Start {
  stdout: string;
  /** Names of packages. */
  packages: string[];
  /** Files of this package, without the hash in their names. */
  own: string[];
}

/** Modules that a program loads in a whole run. */
async function start(
  env: TestEnv,
  args: readonly string[],
  input = '',
  program = 'mempalace',
  variables: Record<string, string> = {},
): Promise<Start> {
  const list = join(env.home, 'loads');
  rmSync(list, { force: true });
  const { stdout } = await execa(process.execPath, ['--import', LOADS, ...env.argv(program), ...args], {
    env: { ...env.env, ...variables, LOADS: list },
    extendEnv: false,
    input,
  });
  const paths = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  const packages = paths.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const ours = paths.filter((path) => !path.includes('/node_modules/'));
  const own = ours.flatMap((path) => /\/dist\/\w+\/([^/]+?)(?:-[\w-]{8})?\.c?js$/.exec(path)?.[1] ?? []);
  return { stdout, packages: [...new Set(packages)].sort(), own };
}

const hook = (name: string) => ['hook', 'run', '--hook', name, '--harness', 'claude-code'];

describe('loaded modules', () => {
  const machine = filledMachine();
  /** Only the native part of this package is loaded; the rest is bundled. */
  const SQLITE = ['better-sqlite3'];
  /** The native part, and the code that loads it. */
  const MODEL = 'onnxruntime-node';
  const ENGINE = 'engine';

  it('a hook that records a session: one part and its helpers, no package', async () => {
    const { stdout, packages, own } = await start(new TestEnv(), hook('stop'), '{"session_id":"s"}');
    expect([stdout, packages, own]).toEqual(['{}', [], ['start', 'main-start', 'rolldown-runtime']]);
  });

  it('a hook that prints wake-up: SQLite, and nothing that compares vectors', async () => {
    const { env } = await machine();
    const { stdout, packages, own } = await start(env, hook('session-start'), '{}');
    expect(stdout).toContain('additionalContext');
    expect(packages).toEqual(SQLITE);
    expect(own).toEqual(['start', 'main-start', 'rolldown-runtime', 'store']);
  });

  it('a hook at a prompt: as little where it is switched off; no model where a broker answers', async () => {
    const { env } = await machine();
    const prompt = (session_id: string) => JSON.stringify({ session_id, prompt: 'Which port?' });
    const off = await start(env, hook('user-prompt'), prompt('one'));
    expect([off.stdout, off.packages, off.own]).toEqual([
      '{}',
      [],
      ['start', 'main-start', 'rolldown-runtime'],
    ]);
    withBroker(env);
    env.env.MEMPALACE_WAKE_UP_PROMPT = 'on';
    await env.json('mempalace', ['broker', 'ensure']);
    const on = await start(env, hook('user-prompt'), prompt('two'));
    expect(on.stdout).toContain('Port 8443');
    expect(on.packages).not.toContain(MODEL);
    expect(on.own).not.toContain(ENGINE);
  });

  it.each([['--help'], ['search', '--help'], ['help', 'kg', 'add'], ['__complete', 'mempalace', 's']])(
    'help and completions (%s %s %s): no package, no command',
    async (...args) => {
      const { stdout, packages, own } = await start(
        new TestEnv(),
        args.filter((each) => each !== undefined),
      );
      expect(stdout).toMatch(/Usage: mempalace|search\t/);
      expect(packages).toEqual([]);
      for (const part of ['feeders', 'shapes', 'store']) expect(own).not.toContain(part);
      expect(own.length).toBeLessThan(9);
    },
  );

  it('commands that a broker answers: no package, nothing of the palace or the model', async () => {
    const env = withBroker((await machine()).env);
    await env.run('mempalace', ['broker', 'ensure']);
    for (const args of [['wake-up'], ['search', 'lamps'], ['search', 'lamps', '--json']]) {
      const { stdout, packages, own } = await start(env, args);
      expect(stdout).toContain('quoted from the palace');
      expect(packages).toEqual([]);
      for (const part of ['feeders', 'store', 'finding', ENGINE]) expect(own).not.toContain(part);
    }
    for (const args of [
      ['list', 'sources'],
      ['list', 'runs'],
      ['status'],
      ['kg', 'stats'],
      ['diary', 'read'],
      ['checkpoint', 'list'],
    ]) {
      const { packages, own } = await start(env, args);
      expect(packages, args.join(' ')).toEqual([]);
      for (const part of ['store', 'finding', ENGINE]) expect(own, args.join(' ')).not.toContain(part);
    }
  });

  it('wake-up and search: no schema library', async () => {
    const { env } = await machine();
    for (const args of [['wake-up'], ['search', 'lamps', '--rank', 'lexical']]) {
      const { packages, own } = await start(env, args);
      expect(packages).toEqual(expect.arrayContaining(SQLITE));
      expect(packages).not.toContain('zod');
      expect(own.length, own.join(' ')).toBeLessThan(25);
    }
  });

  it('the path of the settings: nothing that edits them', async () => {
    expect((await start(new TestEnv(), ['config', 'path'])).packages).not.toContain('yaml');
  });

  it('facts: nothing of searches', async () => {
    const { env } = await machine();
    const { own } = await start(env, ['kg', 'stats']);
    for (const part of ['answering', 'finding', 'embedding']) expect(own).not.toContain(part);
  });

  it('the version: no command', async () => {
    const { own } = await start(new TestEnv(), ['--version']);
    expect(own.sort()).toEqual(['main-start', 'program', 'relay', 'rolldown-runtime', 'start']);
  });

  it('search by words alone: no model', async () => {
    const { env } = await machine();
    const byRank = ['--rank', 'lexical'];
    const searches = [
      [['which port', ...byRank]],
      [['which port'], '', { MEMPALACE_SEARCH_RANK: 'lexical' }],
      [['--batch', ...byRank], 'which port\nlamps\n'],
    ] as const;
    for (const [args, input, variables] of searches) {
      const { stdout, packages, own } = await start(env, ['search', ...args], input, 'mempalace', variables);
      expect(stdout).toContain('Port 8443');
      expect(packages).not.toContain(MODEL);
      expect(own).not.toContain(ENGINE);
    }
  });

  it('search: SQLite, its vectors and the model, each but its native part in our own files', async () => {
    const { env } = await machine();
    const { packages, own } = await start(env, ['search', 'which port']);
    expect(packages).toEqual([...SQLITE, MODEL, 'sqlite-vec']);
    expect(own).toContain(ENGINE);
    expect(own.length, own.join(' ')).toBeLessThan(25);
  });

  it('a run with nothing new: no Markdown parser and no model', async () => {
    const { env, shop } = await machine();
    const runs = [['mempalace-docs', shop], ['mempalace-session'], ['mempalace', 'mine', shop]] as const;
    for (const [program, ...args] of runs) {
      const { packages, own } = await start(env, args, '', program);
      expect(packages).toEqual(expect.arrayContaining(SQLITE));
      for (const name of ['markdown-it', MODEL]) expect(packages, `${program} ${args}`).not.toContain(name);
      expect(own).not.toContain(ENGINE);
    }
  });
});

it('a program that waits for what never comes does not end with 0', async () => {
  const env = new TestEnv();
  const folder = env.project('shop', { 'README.md': '# Shop\n' });
  const never = join(env.home, 'never.cjs');
  const calls = "for (const name of ['open', 'readFile', 'readdir', 'stat', 'lstat'])";
  writeFileSync(never, `${calls} require('node:fs/promises')[name] = () => new Promise(() => {});`);
  const args = ['--require', never, ...env.argv('mempalace-docs'), folder, '--dry-run'];
  const { exitCode } = await execa(process.execPath, args, { env: env.env, extendEnv: false, reject: false });
  expect(exitCode).toBe(1);
});

describe('the parts of the programs', () => {
  /** Static imports of a part: packages and other parts. */
  const needs = (layer: string) => {
    // A module of the same name may have a small part of its own, which leads to the layer.
    const [text = ''] = readdirSync(PARTS)
      .filter((name) => new RegExp(`^${layer}(?:-.{8})?\\.cjs$`).test(name))
      .map((name) => readFileSync(join(PARTS, name), 'utf8'))
      .sort((one, other) => other.length - one.length);
    const imports = [...text.matchAll(/^(?:const .* = )?require\("([^"]+)"\);$/gm)].map(
      ([, from = '']) => from,
    );
    return {
      packages: imports.filter((from) => !/^(?:\.|node:)/.test(from)),
      parts: imports.flatMap((from) => /^\.\/(.+?)(?:-.{8})?\.cjs$/.exec(from)?.[1] ?? []).sort(),
    };
  };

  it.each([
    ['main-start', [], ['rolldown-runtime']],
    // The server answers `initialize` with it.
    ['relay', [], ['main-start', 'rolldown-runtime']],
    ['program', [], ['main-start', 'relay', 'rolldown-runtime']],
    ['asking', [], ['main-start', 'program', 'relay', 'rolldown-runtime', 'shapes']],
    ['searching', [], ['asking', 'main-start', 'program', 'relay', 'rolldown-runtime', 'shapes']],
    // Without what searches need.
    ['waking', [], ['asking', 'main-start', 'relay', 'rolldown-runtime', 'shapes']],
    ['feeders', [], ['asking', 'main-start', 'program', 'relay', 'rolldown-runtime']],
    ['store', [], ['main-start', 'rolldown-runtime']],
    ['finding', [], ['main-start', 'rolldown-runtime', 'store']],
    ['embedding', [], ['main-start', 'rolldown-runtime']],
    ['engine', [], ['embedding', 'main-start', 'rolldown-runtime']],
  ])('%s needs the packages %j and the parts %j', (layer, packages, parts) => {
    expect(needs(layer)).toEqual({ packages, parts });
  });

  it('have compiled code that this Node accepts', async () => {
    const check = `
      import { readdirSync, readFileSync } from 'node:fs';
      import { compile } from ${JSON.stringify(new URL('../../scripts/load-parts.cjs', import.meta.url).href)};
      const [parts, compiled] = process.argv.slice(1);
      const refused = readdirSync(parts).filter((name) => name.endsWith('.cjs')).filter((name) =>
        compile(name, readFileSync(parts + name, 'latin1'), readFileSync(compiled + name)).cachedDataRejected);
      console.log(JSON.stringify(refused));`;
    const folders = [PARTS, PARTS.replace(/parts.$/, 'compiled/')];
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', check, ...folders]);
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
