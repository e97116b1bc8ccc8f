import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
// Its removal of folders is registered first, so it runs after ours.
import { afterTest } from './cleanups.js';
import type { ScriptedModel } from './scripted-model.js';
import type { TestEnv } from './test-env.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const EXTENSION = join(ROOT, 'contrib', 'pi', 'mempalace.ts');

export interface PiRelease {
  version: string;
  command: string;
  args: string[];
  /** Connects MCP servers itself. */
  native: boolean;
}

/**
 * Releases of pi, which tests do not install: `PI_COMMANDS`, command lines between semicolons, such as
 * `node …/@mariozechner/pi-coding-agent/dist/cli.js;node22 …/@earendil-works/pi-coding-agent/dist/bundle/cli.js`.
 */
export const PI_RELEASES: readonly PiRelease[] = (process.env.PI_COMMANDS ?? '')
  .split(';')
  .map((line) => line.trim())
  .filter((line) => line !== '')
  .map((line) => {
    const [command = '', ...args] = line.split(' ');
    // An early release writes its version to stderr.
    const version = execFileSync('/bin/sh', ['-c', '"$0" "$@" --version 2>&1', command, ...args], {
      encoding: 'utf8',
    }).trim();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return { version, command, args, native: major > 0 || minor >= 99 };
  });

type Message = Record<string, unknown>;

/** Real pi on a separate machine in RPC mode, with a scripted model and without network. */
export class RealPi {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #seen: Message[] = [];
  readonly #env: TestEnv;
  readonly ended: Promise<number | null>;
  stderr = '';
  #at = 0;
  #id = 0;

  constructor(
    env: TestEnv,
    { command, args }: PiRelease,
    more: readonly string[] = [],
    variables: Record<string, string> = {},
  ) {
    this.#env = env;
    const cwd = env.project('shop', {});
    this.#child = spawn(command, [...args, '--mode', 'rpc', ...more], {
      cwd,
      env: { ...env.env, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', ...variables },
    });
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
    let unread = '';
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (unread + text).split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('{')) this.#seen.push(JSON.parse(line) as Message);
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#child.stdin.on('error', () => {});
    // The background run outlives pi.
    afterTest(() => this.gone());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything that pi has said. */
  get messages(): readonly Message[] {
    return this.#seen;
  }

  /** Sends a command and waits for its answer. */
  async ask(type: string, fields: Message = {}): Promise<Message> {
    this.#id += 1;
    const id = String(this.#id);
    this.#at = this.#seen.length;
    this.#child.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`);
    const answer = await this.seen((message) => message.type === 'response' && message.id === id, type);
    if (answer.success !== true) throw new Error(JSON.stringify(answer));
    return (answer.data ?? {}) as Message;
  }

  /** Prompts, and waits for the end of the run. */
  async prompt(message: string): Promise<void> {
    await this.ask('prompt', { message });
    await this.idle();
  }

  idle(): Promise<Message> {
    return this.seen(({ type }) => type === 'agent_end', 'the end of the run');
  }

  /** The first message after the last command that fits. */
  async seen(fits: (message: Message) => boolean, what: string, ms = 60_000): Promise<Message> {
    for (const end = Date.now() + ms; Date.now() < end; await new Promise((go) => setTimeout(go, 20))) {
      const found = this.#seen.slice(this.#at).find(fits);
      if (found !== undefined) return found;
    }
    const last = this.#seen.slice(-5).map((each) => JSON.stringify(each).slice(0, 400));
    throw new Error(`pi did not come to ${what}:\n${last.join('\n')}\n${this.stderr.slice(-2_000)}`);
  }

  /** As a user ends it. */
  async quit(): Promise<number | null> {
    this.#child.stdin.end();
    return this.ended;
  }

  /** Ends pi, and waits for the end of all that it started. */
  async gone(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended;
    await allGone(this.#env);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ids of the processes of mempalace-mcp of this machine. */
  servers(): number[] {
    return processesOf(this.#env, 'mempalace-mcp');
  }
}

/** Processes whose command line names a program, with the HOME of this machine. */
export function processesOf({ home }: TestEnv, program: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return (
          line.includes(program) &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
        );
      } catch {
        return false;
      }
    });
}

/** Waits for the end of all programs on this machine. One may start another between two looks. */
export async function allGone(env: TestEnv): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) {
    await vi.waitFor(
      () => {
        const left = processesOf(env, 'mempalace');
        if (left.length > 0) looks = 0;
        expect(left).toEqual([]);
      },
      { timeout: 60_000, interval: 50 },
    );
    await new Promise((go) => setTimeout(go, 50));
  }
}

/** The folder of pi's settings, with a model that answers by a script, and our extension linked as install.sh does it. */
export function agentFolder(env: TestEnv, model: ScriptedModel, { linked = true } = {}): string {
  const folder = join(env.home, '.pi', 'agent');
  mkdirSync(join(folder, 'extensions'), { recursive: true });
  const models = [
    {
      id: 'scripted',
      name: 'Scripted',
      contextWindow: 100_000,
      maxTokens: 8_000,
      compat: { supportsDeveloperRole: false },
    },
  ];
  const provider = { baseUrl: model.url, apiKey: 'none', api: 'openai-completions', models };
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { mock: provider } }));
  const settings = { defaultProvider: 'mock', defaultModel: 'scripted', retry: { enabled: false } };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  const link = join(folder, 'extensions', 'mempalace.ts');
  if (linked && !existsSync(link)) symlinkSync(EXTENSION, link);
  return folder;
}
