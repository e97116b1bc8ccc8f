import { join } from 'node:path';
import { approvalOf } from '../../../config/approvals.js';
import { CONFIG_NAME, type ProjectConfig } from '../../../feeders/docs/config.js';
import type { Folders } from '../../../platform/folders.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';

/** The rules of a project's `mempalace.yaml` that would pin documents into wake-up. */
export function pinningRules(config: ProjectConfig | undefined): ProjectConfig['priorities'] {
  return (config?.priorities ?? []).filter(({ priority }) => priority === 'high');
}

/** @param root absolute, real */
export function rulesFile(root: string): string {
  return join(root, CONFIG_NAME);
}

/**
 * Whether the rules of a project may pin, and a note for the user if they need approval.
 *
 * @param root absolute, real
 * @throws UserError `config` if the approvals exist and cannot be read
 */
export function approvalOfRules(
  root: string,
  config: ProjectConfig | undefined,
  folders: Pick<Folders, 'config'>,
): { approved: boolean; note?: string } {
  if (config === undefined || pinningRules(config).length === 0) return { approved: false };
  const approval = approvalOf(folders, rulesFile(root), config.sha256);
  if (approval === 'approved') return { approved: true };
  const why = approval === 'changed' ? 'has changed since its approval' : 'is not approved';
  const cure = `mempalace projects add ${shellQuoted(root)}`;
  const note = `${rulesFile(root)} ${why}: its documents of high priority rank higher in search, but wake-up does not print them; to approve it: ${cure}`;
  return { approved: false, note };
}
