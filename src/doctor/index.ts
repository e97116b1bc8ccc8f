/**
 * What is right and what is wrong with this machine, this installation and the palace. Nothing is changed, made or
 * migrated. This module loads no native one: it must run where they do not.
 */
import { messageOf, UserError } from '../common/errors.js';
import { CHECKS } from './checks.js';
import type { DoctorContext, DoctorOptions } from './context.js';
import { rebuildCure } from './cure.js';
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
      const hint = error instanceof UserError ? error.hint : undefined;
      found = [fail(label, messageOf(error), hint ?? 'mempalace doctor --debug shows more; report it')];
    }
    for (const finding of found) onFinding(finding);
    findings.push(...found);
  }
  return findings;
}
