/** A minimal client of mempalace-mcp. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './machine.mjs';

export class McpSession {
  #child;
  #started = performance.now();
  #waiting = new Map();
  #next = 0;
  #ended;

  /**
   * @param {{ env: Record<string, string>, folder: string }} machine
   * @param {string} [checkout] the folder of another built checkout
   */
  constructor(machine, args = [], checkout = ROOT) {
    this.#child = spawn(process.execPath, [join(checkout, 'bin', 'mempalace-mcp'), ...args], {
      env: machine.env,
      cwd: machine.folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** The result of a request, and its time: milliseconds from the request, and from the start of the process. */
  ask(method, params = {}) {
    const id = this.#next++;
    const asked = performance.now();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        const now = performance.now();
        if (error !== undefined) reject(new Error(`${method}: ${error.message}`));
        else resolve({ result, ms: now - asked, sinceStart: now - this.#started });
      });
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  open() {
    const clientInfo = { name: 'bench', version: '1' };
    return this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  }

  /** @throws when the tool gives an error */
  async call(name, args) {
    const answer = await this.ask('tools/call', { name: `mempalace_${name}`, arguments: args });
    if (answer.result.isError) throw new Error(`${name}: ${answer.result.content[0].text}`);
    return { ...answer, result: answer.result.structuredContent };
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resident memory in megabytes; undefined if the system does not report it. */
  megabytes() {
    if (process.platform !== 'linux') return undefined;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async close() {
    this.#child.stdin.end();
    const code = await this.#ended;
    if (code !== 0) throw new Error(`mempalace-mcp ended with ${code}`);
  }
}
