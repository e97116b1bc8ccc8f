import type { DoctorCheck } from './context.js';

/**
 * All checks, in order: later ones use what earlier ones found. Each is loaded when it runs, so that a package that
 * is missing or broken ends the one check that needs it and no other.
 */
export const CHECKS: readonly DoctorCheck[] = [
  { label: 'versions', run: async (context) => (await import('./versions.js')).checkVersions(context) },
  {
    label: 'configuration',
    judgesFlags: true,
    run: async (context) => (await import('./configuration.js')).checkConfiguration(context),
  },
  { label: 'native modules', run: async (context) => (await import('./native.js')).checkNative(context) },
  { label: 'palace', run: async (context) => (await import('./palace.js')).checkPalace(context) },
  {
    label: 'permissions',
    run: async (context) => (await import('./permissions.js')).checkPermissions(context),
  },
  {
    label: 'run lock',
    needsSqlite: true,
    run: async (context) => (await import('./lock.js')).checkLock(context),
  },
  { label: 'disk', run: async (context) => (await import('./disk.js')).checkDisk(context) },
  { label: 'model', run: async (context) => (await import('./model.js')).checkModel(context) },
  {
    label: 'opencode',
    needsSqlite: true,
    run: async (context) => (await import('./opencode.js')).checkOpencode(context),
  },
  { label: 'links', run: async (context) => (await import('./links.js')).checkLinks(context) },
  { label: 'schedule', run: async (context) => (await import('./schedule.js')).checkSchedule(context) },
  { label: 'last success', run: async (context) => (await import('./runs.js')).checkRuns(context) },
];
