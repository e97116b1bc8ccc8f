import { join } from 'node:path';
import { UserError } from '../core/errors.js';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';

/** `changed`: the user approved an earlier content of the file. */
export type Approval = 'approved' | 'changed' | 'never';

/** The format of `sha256sum`, so that `sha256sum --check` reports files that changed since their approval. */
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

function approvalsPath(folders: Pick<Folders, 'config'>): string {
  return join(folders.config, 'mempalace', 'approved.sha256');
}

/**
 * `file`: absolute, real; `hash`: SHA-256 of its bytes.
 *
 * @throws UserError `config` when the approvals cannot be read
 */
export function approvalOf(folders: Pick<Folders, 'config'>, file: string, hash: string): Approval {
  const approved = readApprovals(folders).get(file);
  if (approved === undefined) return 'never';
  return approved === hash ? 'approved' : 'changed';
}

/**
 * Records that the user approved a file (absolute, real) with this content. Only for commands that a user types: never called
 * by an unattended run or a tool of the MCP server.
 *
 * @throws UserError `usage` for a name with a line break
 */
export function approve(folders: Pick<Folders, 'config'>, file: string, hash: string): void {
  if (!LINE.test(`${hash}  ${file}`)) {
    throw new UserError('usage', `${JSON.stringify(file)} contains a line break, so it cannot be approved`);
  }
  write(folders, readApprovals(folders).set(file, hash));
}

/** Files that were not approved are ignored. @throws UserError `config` as `approvalOf` */
export function withdrawApprovals(folders: Pick<Folders, 'config'>, files: readonly string[]): void {
  const approvals = readApprovals(folders);
  const withdrawn = files.filter((file) => approvals.delete(file));
  if (withdrawn.length > 0) write(folders, approvals);
}

/** Hash by file. Invalid lines are ignored. */
function readApprovals(folders: Pick<Folders, 'config'>): Map<string, string> {
  const lines = (readConfigText(approvalsPath(folders)) ?? '').split('\n').map((line) => LINE.exec(line));
  return new Map(lines.flatMap((match) => (match?.[1] && match[2] ? [[match[2], match[1]]] : [])));
}

function write(folders: Pick<Folders, 'config'>, approvals: ReadonlyMap<string, string>): void {
  const lines = [...approvals].map(([file, hash]) => `${hash}  ${file}\n`);
  replaceFile(approvalsPath(folders), lines.join(''));
}
