/**
 * What is right and what is wrong with this machine, this installation and the palace. Nothing is changed, made or
 * migrated. This module loads no native one: it must run where they do not.
 */
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { CHECKS } from './checks.js';
import type { DoctorContext, DoctorOptions } from './context.js';
import { rebuildCure, reinstallCure } from './cure.js';
import { type Finding, fail, warn } from './finding.js';

export type { DoctorOptions } from './context.js';
export type { Finding } from './finding.js';

/**
 * Runs all checks, one after the other. A check that throws is a finding, too.
 *
 * @param onFinding called with each finding as it comes
 * @throws UserError `usage` for a flag
 */
export async function examine(
  options: DoctorOptions,
  onFinding: (finding: Finding) => void = () => {},
  checks = CHECKS,
): Promise<Finding[]> {
  const context: DoctorContext = {
    ...options,
    config: undefined,
    palace: options.folders.palace,
    sqlite: false,
    usable: false,
    palaceBytes: 0,
    holder: undefined,
    palaceModel: undefined,
  };
  const findings: Finding[] = [];
  for (const { label, needsSqlite, judgesFlags, run } of checks) {
    let found: Finding[];
    try {
      found =
        needsSqlite === true && !context.sqlite
          ? [
              warn(
                label,
                'not checked: better-sqlite3 does not work',
                rebuildCure(options.root, 'better-sqlite3'),
              ),
            ]
          : await run(context);
    } catch (error) {
      if (judgesFlags === true && error instanceof UserError && error.code === 'usage') throw error;
      found = [stumbled(label, error, options.root)];
    }
    for (const finding of found) onFinding(finding);
    findings.push(...found);
  }
  return findings;
}

/** A check that could not be done, for want of a package or for a reason that nobody foresaw. */
function stumbled(label: string, error: unknown, root: string): Finding {
  const message = messageOf(error);
  if (isErrno(error, 'ERR_MODULE_NOT_FOUND') || isErrno(error, 'MODULE_NOT_FOUND')) {
    const missing = /'([^']+)'/.exec(message)?.[1] ?? 'a package';
    return fail(label, `not checked: ${missing} is not installed`, reinstallCure(root));
  }
  const hint = error instanceof UserError ? error.hint : undefined;
  return fail(label, message, hint ?? 'mempalace doctor --debug shows more; report it');
}
