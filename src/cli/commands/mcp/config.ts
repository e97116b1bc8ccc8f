import { UserError } from '../../../core/errors.js';
import type { CommonFlags } from '../../app/options.js';

/** Flags of `mempalace mcp`, as commander hands them over. */
export interface McpCommandFlags extends CommonFlags {
  tools?: string;
  readOnly?: boolean;
  agent?: string;
  dryRun?: boolean;
}

export interface McpConfig {
  what: 'install' | 'remove' | 'print';
  /** Undefined for all of them. */
  client: string | undefined;
  dryRun: boolean;
  /** What the server is started with. */
  args: string[];
}

/**
 * @param palace that was named on the command line, absolute
 * @throws UserError `usage`
 */
export function mcpConfig(
  what: string,
  client: string | undefined,
  flags: McpCommandFlags,
  palace: string | undefined,
): McpConfig {
  const { tools, readOnly = false, agent, dryRun = false } = flags;
  const action = (['install', 'remove', 'print'] as const).find((each) => each === what);
  if (action === undefined) throw new UserError('usage', `${JSON.stringify(what)}: install, remove or print`);
  if (client === undefined && action === 'install')
    throw new UserError('usage', `mcp ${action}: which client?`, {
      hint: `mempalace mcp ${action} opencode, claude-code, codex or cursor`,
    });
  const asked = tools !== undefined || readOnly || agent !== undefined;
  if (action === 'remove' && asked)
    throw new UserError('usage', '--tools, --read-only and --agent are for install and print');
  if (action === 'print' && dryRun) throw new UserError('usage', '--dry-run is for install and remove');
  const args = [
    ...(palace === undefined ? [] : ['--palace', palace]),
    ...(tools === undefined ? [] : ['--tools', tools]),
    ...(readOnly ? ['--read-only'] : []),
    ...(agent === undefined ? [] : ['--agent', agent]),
  ];
  return { what: action, client, dryRun, args };
}
