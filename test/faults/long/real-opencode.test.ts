import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ScriptedModel, scriptedModel } from '../../support/scripted-model.js';
import { problemsOf } from '../../support/soundness.js';
import { TestEnv } from '../../support/test-env.js';

/** The binary of the npm package `opencode-linux-x64@1.18.33` (178 MB), which nobody installs for a test unasked. */
const OPENCODE = process.env.OPENCODE_BIN ?? '';
const TALKS = 3;
const TURNS = 4;

const Listed = z.array(z.object({ id: z.string() }));
const Exported = z.object({
  info: z.object({ id: z.string() }),
  messages: z.array(
    z.object({
      parts: z.array(
        z.object({ type: z.string(), text: z.string().optional(), synthetic: z.boolean().optional() }),
      ),
    }),
  ),
});

/** Real opencode on a machine of its own, with a scripted model; no network is asked. */
class Opencode {
  readonly #env: TestEnv;
  readonly #folder: string;
  readonly #variables: Record<string, string>;

  constructor(env: TestEnv, model: ScriptedModel) {
    this.#env = env;
    this.#folder = env.project('shop', { 'README.md': '# Shop\n' });
    const config = join(env.home, 'opencode.json');
    const models = {
      scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 8_000 } },
    };
    writeFileSync(
      config,
      JSON.stringify({
        model: 'local/scripted',
        small_model: 'local/scripted',
        autoupdate: false,
        share: 'disabled',
        provider: {
          local: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: model.url, apiKey: 'none' },
            models,
          },
        },
      }),
    );
    this.#variables = {
      OPENCODE_CONFIG: config,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    };
    for (const [name, folder] of [
      ['XDG_DATA_HOME', '.local/share'],
      ['XDG_CONFIG_HOME', '.config'],
      ['XDG_CACHE_HOME', '.cache'],
      ['XDG_STATE_HOME', '.local/state'],
    ] as const) {
      this.#variables[name] = join(env.home, folder);
      mkdirSync(join(env.home, folder), { recursive: true });
    }
  }

  async run(args: readonly string[]): Promise<string> {
    const { stdout } = await execa(OPENCODE, args, this.#options());
    return stdout;
  }

  /** Its own export of a session, through a file: into a pipe it stops at 64 KB. */
  async export(id: string): Promise<z.infer<typeof Exported>> {
    const file = join(this.#env.home, `${id}.json`);
    await execa(OPENCODE, ['export', id], { ...this.#options(), stdout: { file } });
    return Exported.parse(JSON.parse(readFileSync(file, 'utf8')));
  }

  #options() {
    return {
      cwd: this.#folder,
      env: { ...this.#env.env, ...this.#variables },
      extendEnv: false,
      stdin: 'ignore',
    } as const;
  }
}

describe.skipIf(OPENCODE === '')('real opencode (needs OPENCODE_BIN)', () => {
  it('is read while it writes: at the end every text of its own exports is filed, once', async () => {
    const env = new TestEnv();
    const model = await scriptedModel((question) =>
      `The answer to ${question.slice(0, 60)} is a wombat. `.repeat(30),
    );
    const opencode = new Opencode(env, model);
    let talking = true;
    try {
      const talk = async (n: number) => {
        for (let turn = 0; turn < TURNS; turn += 1) {
          const more = turn === 0 ? ['--title', `talk ${n}`] : ['--session', await sessionOf(n)];
          await opencode.run(['run', '--format', 'json', ...more, `Question ${turn} of talk ${n}`]);
        }
      };
      const sessionOf = async (n: number): Promise<string> => {
        const rows = z
          .array(z.object({ id: z.string(), title: z.string() }))
          .parse(JSON.parse(await opencode.run(['session', 'list', '--format', 'json'])));
        return rows.find(({ title }) => title === `talk ${n}`)?.id ?? '';
      };
      const feeding = (async () => {
        const codes: (number | undefined)[] = [];
        while (talking) {
          const { exitCode, stderr } = await env.run('mempalace-session', ['--min-messages', '1']);
          expect(stderr).not.toMatch(/SQLITE_BUSY|this is a bug/);
          codes.push(exitCode);
        }
        return codes;
      })();
      await Promise.all(Array.from({ length: TALKS }, (_, n) => talk(n))).finally(() => {
        talking = false;
      });
      const codes = await feeding;
      // 1: the first runs come before there is a database.
      expect(codes.filter((code) => code !== 0 && code !== 1 && code !== 3)).toEqual([]);
      expect(codes).toContain(0);

      await env.json('mempalace-session', ['--min-messages', '1']);
      const again = await env.json('mempalace-session', ['--min-messages', '1']);
      expect(again).toMatchObject({ new: 0, changed: 0, drawers_added: 0 });
      expect(problemsOf(env.palace)).toEqual([]);
      const ids = Listed.parse(JSON.parse(await opencode.run(['session', 'list', '--format', 'json'])));
      expect(ids).toHaveLength(TALKS);
      for (const { id } of ids) {
        const { messages } = await opencode.export(id);
        const { stdout } = await env.run('mempalace', ['show', id, '--raw']);
        const texts = messages.flatMap(({ parts }) =>
          parts.flatMap(({ type, text = '', synthetic }) =>
            type === 'text' && synthetic !== true && text.trim() !== '' ? [text] : [],
          ),
        );
        expect(texts.length).toBeGreaterThanOrEqual(TURNS * 2);
        for (const text of texts) expect(stdout).toContain(text.trim());
      }
    } finally {
      talking = false;
      model.close();
    }
  });
});
