import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { ScriptedModel } from './scripted-model.js';
import type { TestEnv } from './test-env.js';

/** The binary of the npm package `opencode-linux-x64@1.18.33` (178 MB), which tests do not install. */
export const OPENCODE_BIN = process.env.OPENCODE_BIN ?? '';

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

/** Real opencode on a separate machine, with a scripted model and without network. */
export class Opencode {
  readonly #env: TestEnv;
  readonly #folder: string;
  readonly #variables: Record<string, string>;

  /**
   * @param more of its configuration
   * @param variables of its environment
   */
  constructor(
    env: TestEnv,
    model: ScriptedModel,
    more: Record<string, unknown> = {},
    variables: Record<string, string> = {},
  ) {
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
        ...more,
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
      ...variables,
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
    const { stdout } = await execa(OPENCODE_BIN, args, this.#options());
    return stdout;
  }

  /** Its own export of a session, through a file: a pipe is cut at 64 KB. */
  async export(id: string): Promise<z.infer<typeof Exported>> {
    const file = join(this.#env.home, `${id}.json`);
    await execa(OPENCODE_BIN, ['export', id], { ...this.#options(), stdout: { file } });
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
