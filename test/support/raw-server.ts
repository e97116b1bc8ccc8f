import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { TestEnv } from './test-env.js';

type Message = Record<string, unknown>;

/** The built server without a client: it receives lines, and every line of its output must be JSON. */
export class RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  readonly messages: Message[] = [];
  stderr = '';
  /** Resolves to the exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  #noticed: () => void = () => {};

  constructor(env: TestEnv, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [...env.argv('mempalace-mcp'), ...args], { env: env.env });
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => resolve(code ?? signal ?? ''));
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.messages.push(JSON.parse(line));
      this.#noticed();
    });
    this.process.stderr.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.process.stdin.on('error', () => {});
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }

  say(text: string): void {
    this.process.stdin.write(`${text}\n`);
  }

  send(message: Message): void {
    this.say(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** The first matching message, received or still to come. */
  async message(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve, reject) => {
        this.#noticed = resolve;
        void this.ended.then((how) => reject(new Error(`the server ended (${how}): ${this.stderr}`)));
      });
    }
  }

  answer(id: unknown): Promise<Message> {
    return this.message((message) => message.id === id && !('method' in message));
  }

  async ask(id: string | number, method: string, params: Message = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  /** Opens the session as a client of a revision does. */
  async open(protocolVersion = '2025-11-25'): Promise<Message> {
    const clientInfo = { name: 'raw', version: '1' };
    const answer = await this.ask('open', 'initialize', { protocolVersion, capabilities: {}, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(id: string | number, name: string, args: Message = {}): Promise<Message> {
    return this.ask(id, 'tools/call', { name: `mempalace_${name}`, arguments: args });
  }
}
