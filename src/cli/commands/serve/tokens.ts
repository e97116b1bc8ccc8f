import { newToken, Tokens } from '../../../broker/tokens.js';
import { UserError } from '../../../core/errors.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { line } from '../../terminal/terminal.js';

interface AddFlags extends CommonFlags {
  readOnly?: boolean;
}

/** `mempalace serve token add` */
export async function addToken(
  { terminal, folders }: CommandContext,
  { readOnly = false }: AddFlags,
  name: string,
): Promise<void> {
  const tokens = new Tokens(folders.palace);
  if (tokens.list().some((each) => each.name === name))
    throw new UserError('usage', `${name} has a token`, { hint: `mempalace serve token revoke ${name}` });
  const token = newToken();
  tokens.put(name, token, readOnly);
  terminal.json({ name, read_only: readOnly, token });
  terminal.note('store it now, in a file of its user with mode 600: it is not shown again');
  terminal.data(token);
}

/** `mempalace serve token list` */
export async function listTokens({ terminal, folders }: CommandContext, _flags: CommonFlags): Promise<void> {
  const all = new Tokens(folders.palace).list();
  terminal.json({
    tokens: all.map(({ name, readOnly, created }) => ({ name, read_only: readOnly, created })),
  });
  for (const { name, readOnly, created } of all)
    terminal.data(`${line(name)}  since ${line(created.slice(0, 10))}${readOnly ? '  read-only' : ''}`);
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
