import { removeSetting, settingNamed, settingOf, writeSetting } from '../../../config/change.js';
import { loadConfig } from '../../../config/index.js';
import { valueAt } from '../../../config/settings.js';
import { asFile } from '../../../config/show.js';
import type { Document } from '../../../rest/documents.js';
import { line } from '../../../terminal/terminal.js';
import { runningBroker } from '../../app/broker.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

type Setting = Document<'configChanged'>['value'];

export async function setSetting(
  context: CommandContext,
  _: CommonFlags,
  name: string,
  values: string[],
): Promise<void> {
  const { folders } = context;
  const key = settingNamed(name);
  await report(context, key, await writeSetting(context, key, settingOf(key, values, folders.home)));
}

export async function unsetSetting(context: CommandContext, _: CommonFlags, name: string): Promise<void> {
  const key = settingNamed(name);
  await report(context, key, await removeSetting(context, key));
}

type Change = Awaited<ReturnType<typeof writeSetting>>;

async function report(context: CommandContext, key: string, change: Change): Promise<void> {
  const { terminal, env, folders } = context;
  const { file, changed } = change;
  const now = await loadConfig({ env, folders });
  const origin = now.origins.get(key) ?? 'default';
  const document = {
    key,
    file,
    changed,
    former: change.former as Setting,
    value: change.value as Setting,
    in_force: (valueAt(asFile(now), key) ?? null) as Setting,
    origin,
  };
  terminal.json(document);
  const { former, value, in_force } = document;
  if (value === null) {
    const where = line(file);
    terminal.say(
      changed ? `${key} is removed from ${where}, was ${shown(former)}` : `${key} is not in ${where}`,
    );
    terminal.say(`in force: ${shown(in_force)} (${line(origin)})`);
  } else {
    const before = changed && former !== null ? `, was ${shown(former)}` : '';
    terminal.say(`${key} is ${changed ? 'now' : 'already'} ${shown(value)} in ${line(file)}${before}`);
    if (!origin.startsWith(`${file}:`))
      terminal.warn(`${line(origin)} sets ${shown(in_force)} and overrides the file`);
  }
  if (changed && (await runningBroker(context)) !== undefined)
    terminal.note('the broker goes on with the settings that it started with: mempalace broker stop ends it');
}

const shown = (value: Setting): string => line(typeof value === 'string' ? value : JSON.stringify(value));
