import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, namesBroker } from '../../config/index.js';
import { coverageText, renewalText } from '../../core/coverage.js';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { networkWarning } from '../../store/db/file-system.js';
import { palaceFile, readHeader } from '../../store/db/palace-file.js';
import type { Palace } from '../../store/index.js';
import { type DoctorContext, type Found, fail, failure, ok, warn } from './context.js';
import { updateCure } from './cure.js';

/** Tables that were not started within this time are left to --full. */
const BUDGET_MS = 10_000;
const SHOWN = 3;
const RESTORE = 'mempalace restore --last (the last backup), or move it away and run the feeders again';

export async function checkPalace(context: DoctorContext): Promise<Found[]> {
  const file = palaceFile(context.palace);
  if (context.config !== undefined && namesBroker(context.config)) return elsewhere(context.config, file);
  let header: ReturnType<typeof readHeader>;
  try {
    header = readHeader(file);
  } catch (error) {
    return [unreadable(file, error, await firstRun(context))];
  }
  context.palaceBytes = header.bytes;
  if (header.bytes === 0) return [warn(`${file} is empty`, await firstRun(context))];
  if (header.foreign) return [fail(`${file} is damaged: not an SQLite database`, RESTORE)];
  if (header.truncated) return [fail(`${file} is truncated: it ends before its last page`, RESTORE)];
  if (!context.sqlite) return [];
  const { SCHEMA_VERSION, storedSchema } = await import('../../store/index.js');
  try {
    const schema = storedSchema(context.palace);
    if (schema === SCHEMA_VERSION) return await contents(context, file);
    if (schema < SCHEMA_VERSION)
      return [ok(`${file}: schema ${schema}, will be brought up to date by the next run`)];
    const detail = `${file} is newer than this program: schema ${schema}, known is ${SCHEMA_VERSION}`;
    return [fail(detail, updateCure(context.root))];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.code === 'palace-damaged') return [fail(`the palace is damaged: ${error.message}`, RESTORE)];
    return [failure(error, 'mempalace doctor --debug shows more')];
  }
}

/** Behind the broker that the user named. */
function elsewhere({ broker: { use } }: Config, file: string): Found[] {
  const found = ok(`it is at ${use} (broker.use)`);
  if (!existsSync(file)) return [found];
  const own = `there is a palace on this machine, too, which is not used: ${file}`;
  return [found, warn(own, 'MEMPALACE_BROKER=off uses it')];
}

async function contents(context: DoctorContext, file: string): Promise<Found[]> {
  const { Palace, SCHEMA_VERSION } = await import('../../store/index.js');
  return Palace.look(context.palace, (palace) => {
    context.palaceModel = palace.model;
    context.usable = true;
    const summary = `${file}: ${plural(palace.drawerCount(), 'drawer')}, schema ${SCHEMA_VERSION}, vectors of ${palace.model.id}`;
    const findings = [ok(summary)];
    const network = networkWarning(context.palace);
    if (network !== undefined) findings.push(warn(network.text, network.hint, 'file system'));
    const coverage = palace.vectors.coverage();
    if (coverage.pending > 0) findings.push(ok(coverageText(coverage), 'meaning'));
    const words = palace.renewal.progress();
    if (words !== undefined) findings.push(ok(renewalText(words), 'words'));
    return [...findings, integrity(palace, context.full)];
  });
}

function integrity(palace: Palace, full: boolean): Found {
  const started = performance.now();
  const { problems, unchecked } = palace.check({ full, budgetMs: BUDGET_MS });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const how = full ? 'checked in full' : 'checked quickly';
  const left =
    unchecked.length === 0 ? '' : `; no time for ${unchecked.join(', ')} (--full checks everything)`;
  if (problems.length === 0) return ok(`${how} in ${seconds} s${left}`, 'integrity');
  const texts = problems.slice(0, SHOWN).map(({ text }) => text);
  const more = problems.length > SHOWN ? `, and ${problems.length - SHOWN} more` : '';
  const lost = problems.some(({ kind }) => kind === 'rows');
  const detail = `${lost ? 'the palace is damaged' : 'indexes and rows disagree'}: ${texts.join('; ')}${more}`;
  return fail(detail, lost ? RESTORE : 'mempalace repair', 'integrity');
}

/** The command that creates a palace; sessions are suggested only if there are any. */
async function firstRun({ env, folders }: DoctorContext): Promise<string> {
  const { locateDatabases } = await import('../../feeders/session/locate.js');
  const { found } = locateDatabases({ db: [], env, folders });
  return found.length === 0 ? 'mempalace-docs <dir>' : 'mempalace-docs <dir> or mempalace-session';
}

/** @param next the command that creates a palace */
function unreadable(file: string, error: unknown, next: string): Found {
  if (isErrno(error, 'ENOENT')) return warn(`there is none yet: ${file}`, `${next} makes it`);
  if (isErrno(error, 'EACCES') || isErrno(error, 'EPERM')) {
    const owner = process.getuid === undefined ? '' : ` (you are user ${process.getuid()})`;
    return fail(
      `${file} cannot be read: permission denied${owner}`,
      `sudo chown -R "$USER" ${shellQuoted(dirname(file))}, or run as its owner`,
    );
  }
  return fail(messageOf(error), 'name another palace with --palace, or move that file away');
}
