import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { valueIn, withoutEmpty } from '../clients/json.js';
import { isSystemError, messageOf, UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { inPackage } from '../platform/in-package.js';
import { textOrEmpty } from '../platform/read-text.js';
import { resolveLinks } from '../platform/resolve-links.js';
import type { Agent, SetupPlaces } from './agents.js';
import { reversed } from './hunks.js';
import { type FileStep, isLink, type LinkPiece, type TextPiece } from './pieces.js';
import type { SetupRecord, Written } from './record.js';

interface Common {
  agent: Agent;
  steps: readonly FileStep[];
  /** Absolute. */
  file: string;
}

/** A text that is written; undefined for a file that is missing, before or after. */
export interface TextChange extends Common {
  kind: 'text';
  before: string | undefined;
  after: string | undefined;
  /** The text without anything of ours. */
  bare: string | undefined;
  /** Containers of ours that `bare` lacks. */
  containers: Written['containers'];
}

/** A link that is made, or removed if it has no target. */
export interface LinkChange extends Common {
  kind: 'link';
  target: string | undefined;
}

/** Nothing is done: all is as wanted, or `why` it is held back. */
interface Kept extends Common {
  kind: 'kept';
  why?: string;
}

export type Planned = TextChange | LinkChange | Kept;

interface Wanted {
  agents: readonly Agent[];
  steps: readonly FileStep[];
  places: SetupPlaces;
  record: SetupRecord;
}

/** What `setup` would do. A file that cannot be read or parsed is held back, and nothing of it changes. */
export const planSetup = (wanted: Wanted): Planned[] => planned(wanted, 'set');

/** What `setup --undo` would do. @param all no agent was named: what agents share goes, too */
export const planUndo = (wanted: Wanted & { all: boolean }): Planned[] =>
  planned(wanted, 'remove', wanted.all);

function planned(
  { agents, steps, places, record }: Wanted,
  action: 'set' | 'remove',
  shared = true,
): Planned[] {
  const plan: Planned[] = [];
  for (const agent of agents) {
    const pieces = agent.pieces(places);
    const texts = pieces.filter((piece): piece is TextPiece => !isLink(piece));
    for (const file of new Set(texts.map((piece) => piece.file))) {
      const all = texts.filter((piece) => piece.file === file);
      const chosen = all.filter((piece) => piece.steps.some((step) => steps.includes(step)));
      if (chosen.length === 0) continue;
      const common = { agent, steps: chosen.flatMap((piece) => piece.steps), file };
      const written = record.files.find((each) => each.file === file);
      plan.push(attempt(common, () => textPlan(common, { all, chosen, written }, action)));
    }
    for (const piece of pieces.filter(isLink)) {
      const chosen = piece.steps.filter((step) => steps.includes(step));
      if (chosen.length === 0 || (action === 'remove' && piece.shared === true && !shared)) continue;
      const common = { agent, steps: chosen, file: piece.file };
      // Several agents share a skill.
      if (plan.some(({ kind, file }) => kind === 'link' && file === piece.file)) continue;
      plan.push(attempt(common, () => linkPlan(common, piece, record, action)));
    }
  }
  return plan;
}

function attempt(common: Common, work: () => Planned): Planned {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError || isSystemError(error))) throw error;
    return { ...common, kind: 'kept', why: messageOf(error) };
  }
}

interface Pieces {
  all: readonly TextPiece[];
  chosen: readonly TextPiece[];
  written: Written | undefined;
}

function textPlan(common: Common, { all, chosen, written }: Pieces, action: 'set' | 'remove'): Planned {
  const before = textOf(common.file);
  if (action === 'remove') {
    if (before === undefined) return { ...common, kind: 'kept' };
    const bare = bareText(before, all, written);
    const rest = all.filter((piece) => !chosen.includes(piece) && piece.isThere(before));
    const after = rest.length === 0 ? bare : removed(before, chosen);
    return change(common, { before, after, bare, all });
  }
  const after = chosen.reduce((text: string | undefined, piece) => piece.set(text), before);
  const bare = before === undefined ? undefined : bareText(before, all, written);
  return change(common, { before, after, bare, all });
}

function change(
  common: Common,
  { all, ...texts }: Pick<TextChange, 'before' | 'after' | 'bare'> & Pick<Pieces, 'all'>,
): Planned {
  if (texts.before === texts.after) return { ...common, kind: 'kept' };
  const containers = all
    .flatMap((piece) => piece.containers)
    .filter((path) => isMissing(texts.bare, path))
    .map((path) => [...path]);
  return { ...common, kind: 'text', ...texts, containers };
}

const removed = (text: string, pieces: readonly TextPiece[]): string =>
  pieces.reduce((rest, piece) => piece.remove(rest), text);

/**
 * The text without anything of ours: exactly the one that was there, if only `setup` has changed it since; else without our
 * parts. Undefined for a file that would not exist.
 */
function bareText(
  text: string,
  pieces: readonly TextPiece[],
  written: Written | undefined,
): string | undefined {
  if (written !== undefined && sha256(text) === written.sha256)
    return written.made ? undefined : reversed(text, written.hunks);
  const rest = removed(text, pieces);
  if (rest === text) return text;
  const containers =
    written?.containers ??
    pieces.flatMap((piece) => [...piece.containers]).filter(([first]) => first === 'hooks');
  const bare = containers.reduce((all, path) => withoutEmpty(all, path), rest);
  const isEmpty = /^\s*(?:\{\s*(?:"\$schema":\s*"[^"]*"\s*)?\})?\s*$/.test(bare);
  return written?.made === true && isEmpty ? undefined : bare;
}

function isMissing(text: string | undefined, path: readonly (string | number)[]): boolean {
  return text === undefined || text.trim() === '' || valueIn(text, path) === undefined;
}

/** The text of a file, undefined without one. @throws UserError `unreadable`, or the file system's error */
function textOf(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!existsSync(file)) throw new UserError('unreadable', `it is a broken link to ${readlinkSync(file)}`);
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  if (bytes.equals(Buffer.from(text))) return text;
  throw new UserError('unreadable', 'it is not UTF-8');
}

function linkPlan(
  common: Common,
  { target, isCopy, shared = false, file }: LinkPiece,
  record: SetupRecord,
  action: 'set' | 'remove',
): Planned {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const kept: Kept = { ...common, kind: 'kept' };
  if (action === 'remove') {
    if (stat === undefined || (shared && !record.links.includes(file))) return kept;
    const isOurs = stat.isSymbolicLink() ? isOwnLink(file, target) : isCopyOfOurs(file, isCopy);
    return isOurs ? { ...common, kind: 'link', target: undefined } : kept;
  }
  if (stat === undefined) return { ...common, kind: 'link', target };
  if (stat.isSymbolicLink()) {
    if (resolveLinks(file) === resolveLinks(target)) return kept;
    if (isOwnLink(file, target)) return { ...common, kind: 'link', target };
  } else if (isCopyOfOurs(file, isCopy)) return { ...common, kind: 'link', target };
  return { ...kept, why: 'it belongs to another program, and was left alone' };
}

/** Whether a link leads to this file, to the same file of another installation, or to one that is gone. */
function isOwnLink(file: string, target: string): boolean {
  const path = target.slice(inPackage('').length);
  const leads = resolveLinks(file);
  const named = leads ?? readlinkSync(file);
  if (!named.endsWith(`/${path}`)) return false;
  const root = named.slice(0, -path.length);
  return (
    leads === undefined || textOrEmpty(join(root, 'package.json')).includes('"name": "mempalace-toolkit"')
  );
}

const isCopyOfOurs = (file: string, isCopy: LinkPiece['isCopy']): boolean => isCopy(textOrEmpty(file));
