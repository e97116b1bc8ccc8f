import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import type { TestEnv } from './test-env.js';

/** The answer of a tool. */
interface Answered {
  isError: boolean;
  /** The text, parsed as JSON; structured content is the same, except for errors. */
  result: Record<string, unknown>;
}

export interface Connected {
  client: Client;
  pid: number;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  /** The result of a call that must succeed. */
  done(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The error of a call that must fail. */
  refused(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** Where a client works. */
interface Where {
  /** Working folder of the server. */
  cwd?: string;
  /** The folders that the client names when it is asked. */
  roots?: () => readonly string[];
  /** Begins the command line, as that of a container. */
  within?: readonly string[];
}

const rootsOf = (folders: readonly string[]) =>
  folders.map((folder) => ({ uri: pathToFileURL(folder).href }));

/** As `connect`; both end with the test. */
export async function connected(
  env: TestEnv,
  args: readonly string[] = [],
  where: Where = {},
): Promise<Connected> {
  const server = await connect(env, args, where);
  onTestFinished(() => server.client.close());
  return server;
}

/** The built server, started by the SDK's own client. Names of tools go without `mempalace_`. */
export async function connect(
  env: TestEnv,
  args: readonly string[] = [],
  { cwd, roots, within = [] }: Where = {},
): Promise<Connected> {
  const [command = '', ...rest] = [...within, process.execPath, ...env.argv('mempalace-mcp'), ...args];
  const transport = new StdioClientTransport({
    command,
    args: rest,
    env: env.env,
    stderr: 'ignore',
    ...(cwd === undefined ? {} : { cwd }),
  });
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const client = new Client({ name: 'test-client', version: '1.2.3' }, { capabilities });
  if (roots !== undefined) client.setRequestHandler('roots/list', () => ({ roots: rootsOf(roots()) }));
  await client.connect(transport);
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answered> => {
    const answer = await client.callTool({ name: `mempalace_${name}`, arguments: given });
    const [content] = answer.content;
    const text = content?.type === 'text' ? content.text : '';
    const result = JSON.parse(text);
    const structured = answer.isError === true ? undefined : text;
    if (JSON.stringify(answer.structuredContent) !== (structured && JSON.stringify(result)))
      throw new Error(`${name}: text and structured content do not agree`);
    return { isError: answer.isError === true, result };
  };
  return {
    client,
    pid: transport.pid ?? 0,
    call,
    async done(name, given) {
      const { isError, result } = await call(name, given);
      if (isError) throw new Error(`${name}: ${JSON.stringify(result)}`);
      return result;
    },
    async refused(name, given) {
      const { isError, result } = await call(name, given);
      if (!isError) throw new Error(`${name} succeeded: ${JSON.stringify(result)}`);
      return result;
    },
  };
}

/** Waits until the model is loaded; before that, search is lexical only. */
export async function warmed({ done }: Connected): Promise<void> {
  await done('check_duplicate', { content: 'anything' });
}
