import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addSetting } from '../../../config/change.js';
import { dayOf } from '../../../core/day.js';
import { isErrno, UserError } from '../../../core/errors.js';
import { ARCHIVE_ROOM, REFLECTION_ROOM } from '../../../core/palace-rooms.js';
import { pathOfKey } from '../../../core/source-key.js';
import { marks } from '../../../operations/marks.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';
import { draftOf } from '../../../suggestions/outputs.js';
import { line } from '../../../terminal/terminal.js';
import { withWriter } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import type { Step, SuggestionFlags } from './command.js';

type How = Pick<SuggestionFlags, 'as' | 'into'>;
type Proposal = Step['proposal'];

interface Applied {
  /** The file that was written, moved or changed; null for a mark in the palace. */
  file: string | null;
  text: string;
}

const SLUG_CHARS = 60;

/**
 * Does one step. Nothing is deleted or overwritten.
 *
 * @throws UserError `usage` without a palace of files to write into; `failed` when a file is in the way
 */
export async function applied(needs: Step, how: How, context: CommandContext): Promise<Applied> {
  const { proposal, root } = needs;
  switch (proposal.step) {
    case 'reflect':
      return reflected(needs, how);
    case 'constitution':
      return accepted(proposal, context);
    case 'archive':
      return archived(proposal, root);
    case 'cold': {
      const place = `${proposal.wing}/${proposal.room}`;
      const file = await addSetting(context, 'search.cold', place);
      return { file, text: `${line(place)} is cold now (search.cold in ${line(file)})` };
    }
  }
}

function reflected({ proposal, passage, wings }: Step, { as, into }: How): Applied {
  const root = rootFor(into, wings);
  const { id, found, opened, days, drawer_id } = proposal;
  const output = as ?? proposal.output ?? 'principle-card';
  const title = line(proposal.title ?? proposal.room);
  const file = join(root, REFLECTION_ROOM, `${slugOf(title)}-${id.split('-').at(-1)}.md`);
  const uses = `found ${found}, opened ${opened}, on ${days} days`;
  const day = dayOf(new Date());
  const text = draftOf({ output, title, day, drawerId: drawer_id ?? '', passage: passage ?? '', uses });
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw new UserError('failed', `${file} exists already`);
    throw error;
  }
  return { file, text: `draft: ${line(file)}; to file it: mempalace-docs ${line(shellQuoted(root))}` };
}

/** @throws UserError `usage` unless exactly one palace of files can be meant */
function rootFor(into: string | undefined, reflectionWings: readonly string[]): string {
  const roots = into === undefined ? reflectionWings : [into];
  const there = roots.filter(
    (root) => lstatSync(join(root, REFLECTION_ROOM), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  if (there.length === 1 && there[0] !== undefined) return realpathSync(there[0]);
  if (there.length > 1)
    throw new UserError('usage', 'there are several palaces of files', {
      hint: `name one: ${there.map((root) => `--into ${shellQuoted(root)}`).join(', or ')}`,
    });
  const missing =
    into === undefined ? 'there is no palace of files' : `there is no ${REFLECTION_ROOM} in ${into}`;
  throw new UserError('usage', missing, {
    hint: 'mempalace init --layout palace <dir> makes one, and mempalace-docs <dir> files it',
  });
}

/** Letters, digits and dashes. */
function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, SLUG_CHARS).replace(/-$/, '') || 'draft';
}

/** The palace records the pin, and the run. */
async function accepted({ source_key, title }: Proposal, context: CommandContext): Promise<Applied> {
  const name = source_key ?? '';
  await withWriter(context, { command: 'mempalace metabolism --apply', make: false }, (service, call) =>
    service.ask(marks.set, { name, pinned: true }, call),
  );
  const undo = `mempalace set ${shellQuoted(name)} --unpin`;
  return { file: null, text: `wake-up now begins with ${line(title ?? '')}; to undo this: ${line(undo)}` };
}

/** Moves a document within its palace of files. */
function archived({ source_key }: Proposal, root: string | null): Applied {
  const path = pathOfKey(source_key ?? '');
  const archive = join(root ?? '', ARCHIVE_ROOM);
  if (root === null || lstatSync(archive, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UserError('failed', `there is no folder ${archive}`);
  const from = join(root, path);
  const to = join(archive, path);
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UserError('failed', `${from} is not there any more`, {
      hint: `mempalace-docs ${shellQuoted(root)}`,
    });
  if (realpathSync(from) !== join(realpathSync(root), path) || existsSync(to))
    throw new UserError('failed', `${from} cannot be moved to ${to}`, {
      hint: 'a link or a file is in the way',
    });
  mkdirSync(dirname(to), { recursive: true });
  if (realpathSync(dirname(to)) !== join(realpathSync(root), ARCHIVE_ROOM, dirname(path)))
    throw new UserError('failed', `${dirname(to)} leads elsewhere through a link`);
  renameSync(from, to);
  return { file: to, text: `moved to ${line(to)}; to file it: mempalace-docs ${line(shellQuoted(root))}` };
}
