import { Argument } from 'commander';
import { newToken, Tokens } from '../../../broker/tokens.js';
import { UserError } from '../../../core/errors.js';
import { validateWing } from '../../../core/wing.js';
import { line } from '../../../terminal/terminal.js';
import { type CommonFlags, countOption, createCommand, type FlagsOf, repeatable } from '../../app/options.js';
import { action, type CommandContext, lazily } from '../../app/runner.js';

/** Where it listens by default. */
const HOST = '127.0.0.1';
const PORT = 7425;

const HELP = `
It is the broker of the palace, in the foreground: agents of this machine use it
as before. Agents of other machines connect with a token, over HTTP. Without TLS
of its own: docs/remote.md shows tunnels, a reverse proxy and a systemd unit.

Examples:
  mempalace serve                            for this machine; the token is made
  mempalace serve token add ada              a token for another person
  mempalace serve token add ci --read-only   one that cannot change the palace
  mempalace serve token add bo --wing shop   one for which only this wing exists
  mempalace serve token list                 who has a token
  mempalace serve token revoke ada           applies to the next request`;

/** A name that is safe in logs and on a command line. */
function nameArgument(description: string): Argument {
  return new Argument('<name>', description).argParser((text: string) => {
    if (/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u.test(text)) return text;
    throw new UserError('usage', 'a name has 1 to 64 letters, digits and ._@-', {
      hint: 'such as ada or ci-1',
    });
  });
}

const example = (text: string): string => `\nExamples:\n  ${text}`;

const add = createCommand('add', 'Make a token and print it, once; only its hash is stored')
  .addArgument(nameArgument('the agent or person; writes are recorded under this name'))
  .option('--read-only', 'without the tools that change the palace')
  .option('--wing <name>', 'for this wing alone: it is searched, read and written as if there were no other')
  .addHelpText(
    'after',
    `
A token with --wing hides texts and names of other wings, and does not hide how
often words occur in them: scores count words of the whole palace. Facts, tasks,
collections and counts of the palace are refused (SECURITY.md).
${example('mempalace serve token add ci --read-only   for a job that only reads')}
  mempalace serve token add bo --wing shop   for one wing`,
  );

const token = createCommand('token', 'Who may connect')
  .addCommand(add.action(action(addToken)))
  .addCommand(
    createCommand('list', 'Show whose tokens are valid')
      .action(action(listTokens))
      .addHelpText('after', example('mempalace serve token list   names and dates, never a token')),
    { isDefault: true },
  )
  .addCommand(
    createCommand('revoke', 'Make a token invalid at once')
      .addArgument(nameArgument('whose token'))
      .action(action(revokeToken))
      .addHelpText('after', example('mempalace serve token revoke ada   applies to the next request')),
  );

export const command = createCommand('serve', 'Serve the palace to other machines, over HTTP with tokens')
  .option('--host <address>', 'the address to listen on; by default, other machines cannot connect', HOST)
  .addOption(countOption('--port <n>', 'the port; 0: one that is free', 0).default(PORT))
  .option('--allow-host <name>', 'another name by which clients reach this server (repeatable)', repeatable)
  .option('--read-only', 'leave out every tool that changes the palace, whatever the token')
  .option(
    '--token-file <file>',
    "file with the token to accept; created if missing (default: in the palace's folder)",
  )
  .addCommand(token)
  .addHelpText('after', HELP);
command.action(lazily(async () => (await import('./run.js')).runServe));

export async function addToken(
  { terminal, folders }: CommandContext,
  { readOnly = false, wing: named }: FlagsOf<typeof add>,
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

async function listTokens({ terminal, folders }: CommandContext, _flags: CommonFlags): Promise<void> {
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

async function revokeToken(
  { terminal, folders }: CommandContext,
  _flags: CommonFlags,
  name: string,
): Promise<void> {
  if (!new Tokens(folders.palace).revoke(name))
    throw new UserError('not-found', `no token is named ${name}`, { hint: 'mempalace serve token list' });
  terminal.json({ revoked: name });
  terminal.say(`the token of ${line(name)} is invalid`);
}
