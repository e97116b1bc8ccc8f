import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { socketPath } from '../../broker/address.js';
import { type Missing, tell } from '../../broker/connect.js';
import type { Wanted } from '../../broker/find.js';
import type { Hello, Watching } from '../../broker/hello.js';
import { readRecord } from '../../broker/record.js';
import { type Config, namesBroker } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { workingFolder } from '../../platform/checkout.js';
import { type Folders, PALACE_FILE } from '../../platform/folders.js';
import { inPackage } from '../../platform/in-package.js';
import { resolveLinks } from '../../platform/resolve-links.js';
import { thisBuild } from './build.js';
import { sharedSettings } from './shared-settings.js';

/** Next to the palace: what its brokers did. */
export const BROKER_LOG = 'broker.log';

interface Place {
  config: Config;
  folders: Folders;
  env: NodeJS.ProcessEnv;
}

/**
 * Where the broker of the configured palace listens, and how to greet it.
 *
 * @returns undefined where there can be none: it is switched off, there is no palace, or the socket's path is too long
 */
export function brokerOf(
  { config, folders, env }: Place,
  kind: Hello['kind'],
  client: Partial<Hello> = {},
): Wanted | undefined {
  const { use } = config.broker;
  const about = thisBuild();
  const [cwd] = workingFolder();
  const hello: Hello = { ...about, kind, cwd, ...client };
  // A broker that the user named has a palace and settings of its own.
  if (isNamed(config)) return { palace: folders.palace, socket: use, hello };
  const palace = resolveLinks(folders.palace);
  if (use === 'off' || palace === undefined || !existsSync(join(palace, PALACE_FILE))) return undefined;
  const socket = socketPath(palace, about.build, { env, home: folders.home });
  if (socket === undefined) return undefined;
  hello.settings = sharedSettings(config, folders, env);
  const isElsewhere = async () => (await import('./foreign-broker.js')).mayRunElsewhere(palace);
  return { palace, socket, hello, start: () => startBroker(palace, env), isElsewhere };
}

/**
 * Whether the user named a broker. It is never replaced by a palace of this machine.
 *
 * @throws UserError `config` for what is not an address
 */
export function isNamed(config: Config): boolean {
  const { use } = config.broker;
  if (!namesBroker(config)) return false;
  if (isAbsolute(use) || use.startsWith(SSH)) return true;
  throw new UserError('config', `broker.use is ${JSON.stringify(use)}`, {
    hint: 'it is auto, off, the path of a socket, or ssh://<host> (MEMPALACE_BROKER, config.yaml)',
  });
}

/** Begins the address of another machine. */
export const SSH = 'ssh://';

/** Why a broker cannot be had. */
export function reasonOf(missing: Missing | undefined): string {
  if (missing === undefined) return 'it does not run';
  return missing.why === 'refused' ? line(missing.reason) : NO_ANSWER[missing.why];
}

const NO_ANSWER = { absent: 'nothing listens there', silent: 'it does not answer' };

export function unreachable({ broker: { use } }: Config, reason: string): UserError {
  return new UserError('unreachable', `the broker at ${line(use)} cannot be reached: ${reason}`, {
    hint: 'MEMPALACE_BROKER=off uses the palace of this machine',
  });
}

/** A command that a named broker does not do for its clients. @param command with its program's name */
export function notThere({ broker: { use } }: Config, command: string): UserError {
  const isOverSsh = use.startsWith(SSH);
  const there = isOverSsh ? `ssh ${use.slice(SSH.length)} ${command}` : `on that machine: ${command}`;
  return new UserError('usage', `the palace is at ${line(use)}, and ${command} works only there`, {
    hint: `${line(there)}; MEMPALACE_BROKER=off uses the palace of this machine`,
  });
}

/** As `brokerOf`, also where the agents do without: `mempalace serve` may run. */
export function anyBrokerOf(place: Place, kind: Hello['kind']): Wanted | undefined {
  const { config } = place;
  if (config.broker.use !== 'off') return brokerOf(place, kind);
  return brokerOf({ ...place, config: { ...config, broker: { ...config.broker, use: 'auto' } } }, kind);
}

/** What the running broker says of itself; undefined if none runs. */
export async function runningBroker(place: Place) {
  const wanted = anyBrokerOf(place, 'status');
  if (wanted === undefined) return undefined;
  const socket = runningSocket(wanted);
  const reply = await tell(socket, wanted.hello);
  if (reply === undefined) return undefined;
  const { pid, clients, startedMs, version, watching } = reply;
  const http = readRecord(wanted.palace)?.http;
  const own = http === undefined ? {} : { http };
  return {
    pid,
    version,
    started: new Date(startedMs).toISOString(),
    clients,
    socket,
    ...own,
    ...(watching && { watching: watchingJson(watching) }),
  };
}

function watchingJson({ paths, missing, last }: Watching) {
  const filed = last && {
    command: last.command,
    ended: new Date(last.endedMs).toISOString(),
    exit_code: last.exitCode,
  };
  return { paths, missing, last: filed ?? null };
}

/** The socket of the running broker, which may be of another build. */
export function runningSocket({ palace, socket, hello }: Wanted): string {
  return hello.settings === undefined ? socket : (readRecord(palace)?.socket ?? socket);
}

function startBroker(palace: string, env: NodeJS.ProcessEnv) {
  const log = ['--log-file', join(palace, BROKER_LOG), '--log-level', 'info'];
  return spawn(
    process.execPath,
    [inPackage('bin/mempalace'), 'broker', 'run', '--palace', palace, '--quiet', ...log],
    { detached: true, stdio: 'ignore', cwd: palace, env },
  );
}
