import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { valueIn, withoutEmpty } from '../clients/json.js';
import { isSystemError, messageOf, UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { inPackage } from '../platform/in-package.js';
import { textOrEmpty } from '../platform/read-text.js';
import { resolveLinks } from '../platform/resolve-links.js';
import type { Agent, SetupPlaces } from './agents.js';
import { reversed } from './hunks.js';
import { type FileStep, isLink, type LinkPiece, type Piece, type TextPiece } from './pieces.js';
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
  /** As `linkAt` tells it. */
  before: string | undefined;
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

function planned(wanted: Wanted, action: 'set' | 'remove', all = true): Planned[] {
  const { agents, steps, places, record } = wanted;
  const plan: Planned[] = [];
  const now = agents.flatMap((agent) => agent.pieces(places).map((piece) => ({ agent, piece })));
  const former = action === 'remove' && all ? formerPieces(now, record) : [];
  for (const { agent, piece } of [...now, ...former]) {
    const { file } = piece;
    const chosen = piece.steps.filter((step) => steps.includes(step));
    if (chosen.length === 0 || (action === 'remove' && isLink(piece) && piece.shared === true && !all))
      continue;
    // Several agents share a skill.
    if (plan.some((each) => each.file === file && (each.kind === 'link' || 'why' in each))) continue;
    const common = { agent, steps: chosen, file };
    plan.push(
      attempt(common, () =>
        isLink(piece) ? linkPlan(common, piece, record, action) : textPlan(common, piece, record, action),
      ),
    );
  }
  return plan;
}

interface AgentPiece {
  agent: Agent;
  piece: Piece;
}

/** What is on record where an agent no longer looks, since a variable or another file named the place. */
function formerPieces(now: readonly AgentPiece[], { files, links }: SetupRecord): AgentPiece[] {
  const isKnown = (file: string) => now.some(({ piece }) => piece.file === file);
  const at = (file: string, found: AgentPiece | undefined) =>
    found === undefined || isKnown(file) ? [] : [{ ...found, piece: { ...found.piece, file } }];
  return [
    ...files.flatMap(({ file, agent }) => {
      const own = now.filter((each) => each.agent.id === agent && !isLink(each.piece));
      return at(file, own.find(({ piece }) => basename(piece.file) === basename(file)) ?? own[0]);
    }),
    ...links.flatMap((file) =>
      at(
        file,
        now.find(({ piece }) => isLink(piece) && basename(piece.file) === basename(file)),
      ),
    ),
  ];
}

function attempt(common: Common, work: () => Planned): Planned {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError || isSystemError(error))) throw error;
    return { ...common, kind: 'kept', why: messageOf(error) };
  }
}

function textPlan(common: Common, piece: TextPiece, record: SetupRecord, action: 'set' | 'remove'): Planned {
  const before = textOf(common.file);
  const written = record.files.find((each) => each.file === common.file);
  const bare = before === undefined ? undefined : bareText(before, piece, written);
  const after = action === 'remove' ? bare : piece.set(before);
  if (before === after) return { ...common, kind: 'kept' };
  const containers = piece.containers.filter((path) => isMissing(bare, path)).map((path) => [...path]);
  return { ...common, kind: 'text', before, after, bare, containers };
}

/**
 * The text without anything of ours: exactly the one that was there, if only `setup` has changed it since; else without our
 * parts. Undefined for a file that would not exist.
 */
function bareText(text: string, piece: TextPiece, written: Written | undefined): string | undefined {
  if (written !== undefined && sha256(text) === written.sha256)
    return written.made ? undefined : reversed(text, written.hunks);
  const rest = piece.remove(text);
  if (rest === text) return rest;
  // Without a record, those that our parts alone had filled.
  const containers = written?.containers ?? piece.containers.filter((path) => !isEmptyAt(text, path));
  const bare = containers.reduce((all, path) => withoutEmpty(all, path), rest);
  const isEmpty = /^\s*(?:\{\s*(?:"\$schema":\s*"[^"]*"\s*)?\})?\s*$/.test(bare);
  return written?.made === true && isEmpty ? undefined : bare;
}

const isEmptyAt = (text: string, path: readonly (string | number)[]): boolean =>
  Object.keys(Object(valueIn(text, path))).length === 0;

function isMissing(text: string | undefined, path: readonly (string | number)[]): boolean {
  return text === undefined || text.trim() === '' || valueIn(text, path) === undefined;
}

/** The text of a file, undefined without one. @throws UserError `unreadable`, or the file system's error */
export function textOf(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!existsSync(file)) throw new UserError('unreadable', `it is a broken link to ${readlinkSync(file)}`);
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  if (bytes.equals(Buffer.from(text))) return text;
  throw new UserError('unreadable', 'it is not UTF-8');
}

/** What a link names; undefined for nothing there, empty for something else. */
export function linkAt(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isSymbolicLink() === true ? readlinkSync(file) : stat && '';
}

function linkPlan(
  common: Common,
  { target, isCopy, isLoaded = false, file }: LinkPiece,
  record: SetupRecord,
  action: 'set' | 'remove',
): Planned {
  const before = linkAt(file);
  const kept: Kept = { ...common, kind: 'kept' };
  const isOwn = before !== undefined && before !== '' && isOwnLink(file, target);
  if (action === 'remove')
    return isOwn && record.links.includes(file)
      ? { ...common, kind: 'link', before, target: undefined }
      : kept;
  // Also a file of a linked folder.
  if (before !== undefined && resolveLinks(file) === resolveLinks(target)) return kept;
  if (before === undefined && isLoaded) return kept;
  if (before === undefined || isOwn) return { ...common, kind: 'link', before, target };
  // The user may have edited a copy.
  return before === '' && isCopy(textOrEmpty(file))
    ? kept
    : { ...kept, why: 'it belongs to another program' };
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
