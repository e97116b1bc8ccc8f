import { countOption, createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
The broker serves the page on 127.0.0.1, and only from this command on: no port
is open before. The link works once, for five minutes, and lets one browser in.
The page closes when nobody has used it for a while (broker.idle), and with the
broker. Nothing is loaded from elsewhere. docs/ui.md walks through it.
Where there is no palace yet, an empty one is made, and the page says what
fills it.

Examples:
  mempalace ui             open the page in the browser
  mempalace ui --no-open   print the link only`;

export const ui = createCommand('ui', 'Look at the palace in a browser of this machine')
  .option('--no-open', 'print the link and do not start a browser')
  .addOption(countOption('--port <n>', 'the port; 0: one that is free', 0).default(0))
  .addHelpText('after', HELP);
export type UiFlags = FlagsOf<typeof ui>;
ui.action(lazily(async () => (await import('./run.js')).runUi));
