/**
 * Checks this machine, this installation and the palace, without changing, creating or migrating anything. This module
 * must not load native modules: it must run where they do not.
 */
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import {
  type DoctorContext,
  type DoctorOptions,
  type Finding,
  type Found,
  fail,
  failure,
  warn,
} from './context.js';
import { rebuildCure, reinstallCure } from './cure.js';

export type { Finding } from './context.js';

/** What it finds, and an error that it throws, is under `label`, unless it has its own. */
interface DoctorCheck {
  label: string;
  /** The check is skipped, with a finding, if better-sqlite3 does not work. */
  needsSqlite?: boolean;
  /** A `usage` error comes from the command line and is thrown. */
  judgesFlags?: boolean;
  run(context: DoctorContext): Promise<Found[]> | Found[];
}

const installation = () => import('./installation.js');
const files = () => import('./files.js');
const sources = () => import('./sources.js');

/**
 * All checks, in order: later ones use the results of earlier ones. Each is loaded when it runs, so that a missing or
 * broken package ends only the check that needs it.
 */
const CHECKS: readonly DoctorCheck[] = [
  { label: 'versions', run: async (context) => (await installation()).checkVersions(context) },
  {
    label: 'configuration',
    judgesFlags: true,
    run: async (context) => (await installation()).checkConfiguration(context),
  },
  { label: 'native modules', run: async (context) => (await installation()).checkNative(context) },
  { label: 'palace', run: async (context) => (await import('./palace.js')).checkPalace(context) },
  { label: 'permissions', run: async (context) => (await files()).checkPermissions(context) },
  { label: 'run lock', needsSqlite: true, run: async (context) => (await files()).checkLock(context) },
  {
    label: 'broker',
    needsSqlite: true,
    run: async (context) => (await import('./broker.js')).checkBroker(context),
  },
  { label: 'hooks', run: async (context) => (await import('./hooks.js')).checkHooks(context) },
  { label: 'disk', run: async (context) => (await files()).checkDisk(context) },
  { label: 'model', run: async (context) => (await import('./model.js')).checkModel(context) },
  { label: 'sessions', needsSqlite: true, run: async (context) => (await sources()).checkSessions(context) },
  { label: 'links', run: async (context) => (await import('./links.js')).checkLinks(context) },
  { label: 'clients', run: async (context) => (await import('./clients.js')).checkClients(context) },
  { label: 'setup', run: async (context) => (await import('./setup.js')).checkSetup(context) },
  { label: 'pi', run: async (context) => (await import('./pi.js')).checkPi(context) },
  { label: 'schedule', run: async (context) => (await sources()).checkSchedule(context) },
  { label: 'last success', run: async (context) => (await sources()).checkRuns(context) },
];

/** @throws UserError `usage` for a flag */
export async function examine(
  options: DoctorOptions,
  onFinding: (finding: Finding) => void = () => {},
  checks = CHECKS,
): Promise<Finding[]> {
  const { root, folders } = options;
  const context: DoctorContext = {
    ...options,
    config: undefined,
    palace: folders.palace,
    sqlite: false,
    usable: false,
    palaceBytes: 0,
    holder: undefined,
    palaceModel: undefined,
  };
  const findings: Finding[] = [];
  for (const { label, needsSqlite, judgesFlags, run } of checks) {
    let found: Found[];
    try {
      found =
        needsSqlite === true && !context.sqlite
          ? [warn('not checked: better-sqlite3 does not work', rebuildCure(root))]
          : await run(context);
    } catch (error) {
      if (judgesFlags === true && error instanceof UserError && error.code === 'usage') throw error;
      found = [uncheckedFinding(error, root)];
    }
    for (const each of found) {
      const finding = { ...each, label: each.label ?? label };
      onFinding(finding);
      findings.push(finding);
    }
  }
  return findings;
}

function uncheckedFinding(error: unknown, root: string): Found {
  if (!isErrno(error, 'ERR_MODULE_NOT_FOUND') && !isErrno(error, 'MODULE_NOT_FOUND'))
    return failure(error, 'mempalace doctor --debug shows more; report it');
  const missing = /'([^']+)'/.exec(messageOf(error))?.[1] ?? 'a package';
  return fail(`not checked: ${missing} is not installed`, reinstallCure(root));
}
