import { newToken, Tokens } from '../../../broker/tokens.js';
import { UserError } from '../../../core/errors.js';
import { validateWing } from '../../../core/wing.js';
import { line } from '../../../terminal/terminal.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import type { AddFlags } from './command.js';

/** `mempalace serve token add` */
export async function addToken(
  { terminal, folders }: CommandContext,
  { readOnly = false, wing: named }: AddFlags,
  name: string,
): Promise<void> {
  const wing = named === undefined ? undefined : validateWing(named);
  const tokens = new Tokens(folders.palace);
  if (tokens.list().some((each) => each.name === name))
    throw new UserError('usage', `${name} has a token`, { hint: `mempalace serve token revoke ${name}` });
  const token = newToken();
  tokens.put(token, { name, readOnly, wing });
  terminal.json({ name, read_only: readOnly, wing: wing ?? null, token });
  terminal.note('store it now, in a file of its user with mode 600: it is not shown again');
  terminal.data(token);
}

/** `mempalace serve token list` */
export async function listTokens({ terminal, folders }: CommandContext, _flags: CommonFlags): Promise<void> {
  const all = new Tokens(folders.palace).list();
  terminal.json({
    tokens: all.map(({ name, readOnly, wing = null, created }) => ({
      ...{ name, read_only: readOnly, wing, created },
    })),
  });
  for (const { name, readOnly, wing, created } of all) {
    const rights = [...(wing === undefined ? [] : [`wing ${wing}`]), ...(readOnly ? ['read-only'] : [])];
    terminal.data([name, `since ${created.slice(0, 10)}`, ...rights].map(line).join('  '));
  }
  if (all.length === 0) terminal.say('there are no tokens');
}

/** `mempalace serve token revoke` */
export async function revokeToken(
  { terminal, folders }: CommandContext,
  _flags: CommonFlags,
  name: string,
): Promise<void> {
  if (!new Tokens(folders.palace).revoke(name))
    throw new UserError('not-found', `there is no token of ${name}`, { hint: 'mempalace serve token list' });
  terminal.json({ revoked: name });
  terminal.say(`the token of ${line(name)} is invalid`);
}
