import {
  changedCollectionDocument,
  droppedCollectionDocument,
  searchOf,
} from '../../../presentation/collections.js';
import type { Input, Output } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { warnRedacted } from '../../../terminal/redactions.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type AddFlags, addConfig } from './config.js';

const COMMAND = 'mempalace collection';

/** `mempalace collection add`. */
export function add(
  context: CommandContext,
  flags: AddFlags,
  name: string,
  ids: readonly string[],
): Promise<void> {
  return change(context, addConfig(name, ids, flags, context.folders.home));
}

/** `mempalace collection exclude`. */
export function exclude(context: CommandContext, _: CommonFlags, name: string, ids: string[]): Promise<void> {
  return change(context, { name, exclude: ids });
}

/** `mempalace collection remove`. */
export function remove(context: CommandContext, _: CommonFlags, name: string, ids: string[]): Promise<void> {
  return change(context, { name, release: ids });
}

function change(context: CommandContext, wanted: Input<'changeCollection'>): Promise<void> {
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const changed = await service.changeCollection(wanted, call);
    report(changed, context.terminal);
  });
}

function report(changed: Output<'changeCollection'>, terminal: Terminal): void {
  const { collection, created, redacted } = changed;
  terminal.json(changedCollectionDocument(changed));
  const { name, added, excluded } = collection;
  const counts = [
    searchOf(collection),
    added > 0 ? `${plural(added, 'drawer')} added` : '',
    excluded > 0 ? `${plural(excluded, 'drawer')} excluded` : '',
  ].filter((part) => part !== '');
  terminal.say(
    `${created ? 'made' : 'changed'} ${line(name)}: ${counts.join(', ') || 'nothing belongs to it'}`,
  );
  warnRedacted(redacted, terminal);
}

/** `mempalace collection drop`. */
export function drop(context: CommandContext, _: CommonFlags, wanted: string): Promise<void> {
  const { terminal } = context;
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const dropped = await service.dropCollection({ name: wanted }, call);
    terminal.json(droppedCollectionDocument(dropped));
    terminal.say(`dropped ${line(dropped.name)}; its drawers stay in the palace`);
  });
}
