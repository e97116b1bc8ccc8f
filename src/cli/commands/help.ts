import type { Command } from 'commander';
import { EXIT } from '../app/exit.js';
import { commonOptionsPage, createCommand, withCommonOptions } from '../app/options.js';

/** Replaces commander's own, which knows one level only and does not report wrong names. */
export const helpCommand = (): Command =>
  createCommand('help', 'Print the help of a command')
    .argument('[command...]', 'the command, or options')
    .option('--all', 'list all commands')
    .action((topics: string[], _: unknown, { parent }: Command) => {
      if (parent !== null && topics.join() === 'options') {
        parent.configureOutput().writeOut?.(commonOptionsPage(withCommonOptions(parent)));
        return;
      }
      let command = parent === null ? undefined : withCommonOptions(parent);
      for (const topic of topics) {
        const next = command?.commands.find((each) => each.name() === topic);
        if (next === undefined) {
          command?.error(`error: unknown command '${topic}'`, {
            code: 'commander.unknownCommand',
            exitCode: EXIT.usage,
          });
        } else command = withCommonOptions(next);
      }
      command?.outputHelp();
    });
