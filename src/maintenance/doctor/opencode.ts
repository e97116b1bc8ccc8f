import { accessSync, constants } from 'node:fs';
import { messageOf, UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import type { DoctorContext } from './context.js';
import { type Finding, fail, ok } from './finding.js';

const LABEL = 'opencode';

/** Every history that `mempalace-session` would read: found, readable, of a form that is known. */
export async function checkOpencode({ env, folders, sqlite }: DoctorContext): Promise<Finding[]> {
  const { locateDatabases } = await import('../../feeders/session/locate.js');
  const { found } = locateDatabases({ db: [], env, folders });
  if (found.length === 0)
    return [ok(LABEL, 'no sessions on this machine (another place: mempalace-session --db)')];
  const findings: Finding[] = [];
  for (const { path, kind } of found) {
    try {
      if (kind === 'json') {
        accessSync(path, constants.R_OK | constants.X_OK);
        findings.push(ok(LABEL, `${path} can be read`));
      } else if (sqlite) {
        findings.push(ok(LABEL, `${path}: ${plural(await sessionsIn(path), 'session')} can be read`));
      }
    } catch (error) {
      const hint = error instanceof UserError ? error.hint : undefined;
      findings.push(fail(LABEL, messageOf(error), hint ?? 'run this as the user who runs opencode'));
    }
  }
  return findings;
}

async function sessionsIn(path: string): Promise<number> {
  const { openSqlite } = await import('../../feeders/session/open.js');
  const database = openSqlite(path);
  try {
    return Number(database.prepare('SELECT count(*) FROM session').pluck().get());
  } finally {
    database.close();
  }
}
