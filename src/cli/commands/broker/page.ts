import { existsSync, readFileSync } from 'node:fs';
import type { Head } from '../../../broker/authenticate.js';
import type { BrokerOptions } from '../../../broker/broker.js';
import type { Connections } from '../../../broker/connections.js';
import type { PageServer } from '../../../broker/page-server.js';
import { loadConfig } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import type { Engine } from '../../../mcp/toolbox.js';
import { status } from '../../../operations/listing/status.js';
import { ask } from '../../../operations/operation.js';
import { inPackage } from '../../../platform/in-package.js';
import type { RestHost } from '../../../rest/host.js';
import type { CommandContext } from '../../app/runner.js';

interface Options {
  folder: string;
  connections: Connections;
  onEvent(text: string): void;
}

/** The page of a broker: its modules are loaded with the first link. */
export function lazyPage(
  context: CommandContext,
  engine: Engine,
  options: Options,
): BrokerOptions['openPage'] {
  let server: Promise<PageServer> | undefined;
  return async (port, signal) => {
    if (!existsSync(inPackage('dist/page/page.js')))
      throw new UserError('failed', 'this installation was built without the page', {
        hint: 'build it with a newer Node: install.sh, or npm run build',
      });
    server ??= pageServer(context, engine, options);
    engine.warm();
    return (await server).link(port, signal);
  };
}

async function pageServer(context: CommandContext, engine: Engine, options: Options): Promise<PageServer> {
  const [checks, { PageServer }, { restApi }, { restHost }, { mcpHost }, documents] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../../../broker/page-server.js'),
    import('../../../rest/api.js'),
    import('./rest-host.js'),
    import('../server/host.js'),
    import('./documents.js'),
  ]);
  const host = mcpHost(context);
  const { connections } = options;
  const own = restHost(context, engine);
  void prepareHome(own);
  let { config } = own;
  // The page uses the settings that its user has changed; agents use those that the broker started with.
  const reread = async () => {
    const { env, folders } = context;
    const palace = config.origins.get('palace') === '--palace' ? config.palace : undefined;
    config = await loadConfig({ env, folders, flags: { palace } });
    return config;
  };
  connections.watch(() => own.live.send({ event: 'connections', data: { agents: connections.list() } }));
  const rest = restApi({
    ...own,
    get config() {
      return config;
    },
    machine: {
      doctor: (signal) => host.program('mempalace', ['doctor'], signal),
      connections: () => options.connections.list(),
      projects: () => documents.projectsDocument(context.folders),
      feed: (program, args, onProgress) =>
        host.program(program, args, new AbortController().signal, onProgress),
      applyProposal: (id, options, signal) =>
        host.program('mempalace', ['suggestions', '--apply', id, ...options], signal),
      settings: async () => documents.configDocument({ ...context, config: await reread() }),
      changeSetting: async (key, value, signal) => {
        const change = value === undefined ? ['unset', key] : ['set', key, '--', value];
        const changed = await host.program('mempalace', ['config', ...change], signal);
        await reread();
        return changed;
      },
      schedules: () => documents.scheduleDocument(context),
      log: async (asked) => documents.logDocument(context, asked),
      cache: context.folders.cache,
    },
  });
  return new PageServer({
    ...options,
    idleMs: context.config.broker.idleMinutes * 60_000,
    checks,
    asset,
    answer: rest,
  });
}

/** Home asks for this first. Meanwhile the browser opens; an error is told to the view that asks again. */
async function prepareHome({ service, surroundings }: RestHost): Promise<void> {
  const call = { signal: new AbortController().signal, agent: '', through: 'page', waitMs: 0 };
  const found = await ask(service, status, { runs: 0 }, call).catch(() => undefined);
  if (found !== undefined) await surroundings(found.feeders).catch(() => {});
}

const ASSETS: Readonly<Record<string, { file: string; type: string }>> = {
  '/': { file: 'index.html', type: 'text/html' },
  '/page.js': { file: 'page.js', type: 'text/javascript' },
  '/page.css': { file: 'page.css', type: 'text/css' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
};

/** Nothing runs and nothing is loaded but the files of the page; nobody may frame it, and it submits no form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The files of the page. They contain no data: they are sent before anybody has shown who it is. */
function asset({ method, path }: Head): Response | undefined {
  const found = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined;
  if (found === undefined) return undefined;
  const body = method === 'HEAD' ? null : readFileSync(inPackage(`dist/page/${found.file}`));
  return new Response(body, {
    headers: {
      'content-type': `${found.type}; charset=utf-8`,
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    },
  });
}
