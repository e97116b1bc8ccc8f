import { join } from 'node:path';
import { approvalOf } from '../../../config/approvals.js';
import { CONFIG_NAME, type PriorityRule, type ProjectConfig } from '../../../feeders/docs/config.js';
import type { Folders } from '../../../platform/folders.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';

/** The rules of a project's `mempalace.yaml` by which documents of it would be told in wake-up. */
export function pinningRules(config: ProjectConfig | undefined): PriorityRule[] {
  return (config?.priorities ?? []).filter(({ priority }) => priority === 'high');
}

/** What the user approves when approving the rules of a project. @param root absolute, real */
export function rulesFile(root: string): string {
  return join(root, CONFIG_NAME);
}

/**
 * Whether the rules of a project may pin, and what the user is told where they would and may not.
 *
 * @param root absolute, real
 * @throws UserError `config` when the approvals are there and cannot be read
 */
export function approvalOfRules(
  root: string,
  config: ProjectConfig | undefined,
  folders: Pick<Folders, 'config'>,
): { approved: boolean; note?: string } {
  if (config === undefined || pinningRules(config).length === 0) return { approved: false };
  const approval = approvalOf(folders, rulesFile(root), config.sha256);
  if (approval === 'approved') return { approved: true };
  const why = approval === 'changed' ? 'changed since the user approved it' : 'is not approved by the user';
  const cure = `mempalace projects add ${shellQuoted(root)}`;
  const note = `${rulesFile(root)} ${why}: what it gives priority high ranks in search only; the user can let it pin into wake-up with ${cure}`;
  return { approved: false, note };
}
