import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBroker } from '../../broker/find.js';
import { UserError } from '../../core/errors.js';
import { PALACE_FILE } from '../../platform/folders.js';
import { line } from '../../terminal/terminal.js';
import { brokerOf, isNamed, reasonOf } from '../app/broker.js';
import { countOption, createCommand, type FlagsOf } from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';

const HELP = `
The broker serves the page on 127.0.0.1. It does not open a port before you run
this command. The link is valid for five minutes and for one browser. The page
closes when nobody has used it for a while (broker.idle), and when the broker
ends. It loads nothing from other servers. docs/ui.md describes it.
If there is no palace yet, this command creates an empty one. The page then says
how to fill it.

Examples:
  mempalace ui             open the page in the browser
  mempalace ui --no-open   print the link only`;

export const command = createCommand('ui', 'Look at the palace in a browser of this machine')
  .option('--no-open', 'print the link and do not start a browser')
  .addOption(countOption('--port <n>', 'the port; 0: one that is free', 0).default(0))
  .addHelpText('after', HELP);
command.action(action(runUi));

async function runUi(context: CommandContext, { open, port }: FlagsOf<typeof command>): Promise<void> {
  const { terminal, env } = context;
  const link = await linkOf(context, port);
  const browser = open ? browserFor(process.platform, env) : undefined;
  const opened = browser !== undefined && (await started(browser, link.file));
  terminal.json({ url: link.url, opened });
  if (opened) terminal.say('the page opens in your browser; if it does not, open this link:');
  else terminal.say('open this link in a browser of this machine; it works once, for five minutes:');
  terminal.data(link.url);
}

/** @throws UserError that says why there can be no page, and what to do */
async function linkOf(context: CommandContext, port: number) {
  const { config, folders } = context;
  const { use } = config.broker;
  if (isNamed(config))
    throw new UserError('usage', `the palace is behind the broker ${line(use)}`, {
      hint: 'run mempalace ui on its machine, with --no-open and --port if a tunnel leads there (docs/ui.md)',
    });
  if (use === 'off')
    throw new UserError('usage', 'the broker serves the page, and it is switched off (broker.use)', {
      hint: 'MEMPALACE_BROKER=auto mempalace ui',
    });
  if (!existsSync(join(folders.palace, PALACE_FILE))) await makePalace(context);
  const wanted = brokerOf(context, 'page', { port });
  if (wanted === undefined)
    throw new UserError('failed', 'there is no page: the path of its socket would be too long', {
      hint: 'set XDG_RUNTIME_DIR to a folder with a shorter path',
    });
  const found = await ensureBroker(wanted);
  if ('why' in found)
    throw new UserError('failed', `there is no page: ${reasonOf(found)}`, {
      hint: 'mempalace broker stop ends the broker, if agents may start another; mempalace log --of broker prints its log',
    });
  found.stream.destroy();
  const { page } = found.reply;
  if (page === undefined) throw new Error('the broker made no link');
  return page;
}

/** The page tells a newcomer what to do next; it needs a palace to show. @throws UserError as `filingModel` does */
async function makePalace(context: CommandContext): Promise<void> {
  const { terminal, folders } = context;
  const { writingOnce } = await import('../app/single-write.js');
  await writingOnce(folders.palace, context, { make: true, program: 'mempalace ui' }, async () => {});
  terminal.say(`there was no palace at ${line(folders.palace)}: an empty one was made`);
}

/**
 * The program that opens a file in the user's browser.
 *
 * @returns undefined where a browser would have no screen
 */
function browserFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'darwin') return 'open';
  return env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined ? undefined : 'xdg-open';
}

/** Starts a program that goes on by itself. @returns whether it could be started */
function started(program: string, file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [file], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
