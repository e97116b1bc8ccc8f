import { inflateRawSync } from 'node:zlib';
import { activityOfText } from '../../activity/index.js';
import { COPY_KEY_PREFIX, type Recleaning, type StagedSource } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { countMessages, type TurnMark } from '../../core/turns.js';
import type { FiledSource, Palace, SourceRecord } from '../../store/index.js';
import { PieceBuilder } from '../pieces.js';
import type { PreparedSource } from '../prepare.js';
import { fatesOf } from './compare.js';
import type { Draft, Stretch } from './drafts.js';
import { type Section, sectionsOf, spokenPlaceOf } from './sections.js';

/** The parts of a prepared source that a comparison needs. */
export interface NewVersion
  extends Pick<PreparedSource, 'filed' | 'guarded' | 'pieces' | 'messages' | 'turns' | 'problems' | 'chars'> {
  drafts: readonly Draft[];
  source: Pick<StagedSource, 'kind' | 'leftOut' | 'standsIn' | 'unparsedRows' | 'leftOutRows' | 'directory'>;
  record: Pick<SourceRecord, 'versions'>;
}

/** What changes when lost messages are added to a new version. */
type Merged = Required<
  Pick<PreparedSource, 'drafts' | 'pieces' | 'messages' | 'turns' | 'activity' | 'chars' | 'gone'>
>;

/** UTF-16 units. Both versions are in memory. */
const LONGEST_COMPARED = 200 * 1024 * 1024;

/**
 * The new version of a transcript together with the filed messages that it lacks; undefined if it lacks none. A program
 * may rewrite, empty or damage its own transcript: the filed words stay, where they were, and their turns are marked.
 * Only messages that the feeder names as left out (`leftOut`) are not kept.
 *
 * @throws UserError `unreadable` when both versions together are too long to be compared
 */
export async function withLost<Version extends NewVersion>(
  version: Version,
  palace: Palace,
  clean: Recleaning | undefined,
): Promise<(Version & Merged) | undefined> {
  const { filed } = version;
  if (filed === undefined || version.source.kind !== 'conversation') return undefined;
  const ids = comparedIds(version, filed, palace);
  if (!mayLose(version, filed, ids, palace)) return undefined;
  if (filed.chars + version.chars > LONGEST_COMPARED)
    throw new UserError('unreadable', 'filed messages are missing, and it is too long to be compared');
  const text = textOf(version);
  const sections = sectionsOf(text, version.turns);
  const before = await filedSections(filed, palace, sections, clean);
  const fates = fatesOf(before.sections, { sections, ...comparisonOf(version, filed, ids, palace) });
  if (fates.every(({ kind }) => kind === 'present')) return undefined;
  const merged = mergedSections(sections, before.sections, fates);
  const stretches = stretchesOf(merged, {
    now: { text, drafts: version.drafts },
    filed: { text: before.text, drafts: before.drafts },
  });
  return { ...version, ...(await joined(version, merged, stretches, ids.filed)) };
}

const isGone = (section: Section) => section.gone === true;

/** A quick test: false if all filed messages and drawers are in the new version. */
function mayLose(version: NewVersion, filed: FiledSource, { lost }: ComparedIds, palace: Palace): boolean {
  if (lost > 0 || palace.sources.hasGone(filed.id)) return true;
  return lostDrawers(version, filed, palace, MOST_SEARCHED) > 0;
}

/** More drawers than this are not searched for: comparing all sections is faster. */
const MOST_SEARCHED = 32;

/**
 * Number of filed drawers whose text a new version does not contain, whatever the borders of its chunks.
 *
 * @param mostSearched if more drawers changed, all of these count
 */
export function lostDrawers(
  { drafts }: Pick<NewVersion, 'drafts'>,
  filed: FiledSource,
  palace: Palace,
  mostSearched = Number.POSITIVE_INFINITY,
): number {
  const texts = drafts.map(({ text }) => text);
  const equal = new Set(texts);
  const changed = palace.drawers.textsOf(filed.id).filter((text) => !equal.has(text));
  if (changed.length === 0 || changed.length > mostSearched) return changed.length;
  const whole = texts.join('');
  return changed.filter((text) => !whole.includes(text.trim())).length;
}

interface ComparedIds {
  /** Of the messages that are filed, with copy keys. */
  filed: readonly string[];
  now: ReadonlySet<string>;
  /** Of messages, and of parts of them, that the feeder leaves out on purpose. */
  leftOut: ReadonlySet<string>;
  /** Numbers of filed messages that the new version lacks: left out on purpose, and others. */
  omitted: number;
  lost: number;
}

/** Compares the ids of a new version's messages with those that are filed. */
export function comparedIds(
  { source, guarded, messages }: Pick<NewVersion, 'source' | 'guarded' | 'messages'>,
  { id }: FiledSource,
  palace: Palace,
): ComparedIds {
  const filed = palace.sources.messagesOf(id);
  const now = new Set(messages);
  // A copy key adds nothing to the message itself.
  const missing = filed.filter((each) => !each.startsWith(COPY_KEY_PREFIX) && !now.has(each));
  // Earlier feeders did not name what the originals of a fork contain.
  const isUnnamed = source.leftOut === undefined && (source.standsIn ?? []).length > 0;
  // A batch that was staged elsewhere may not remove any.
  const leftOut = new Set(guarded === true ? [] : isUnnamed ? missing : source.leftOut);
  const omitted = missing.filter((each) => leftOut.has(each)).length;
  return { filed, now, leftOut, omitted, lost: missing.length - omitted };
}

function comparisonOf(version: NewVersion, filed: FiledSource, ids: ComparedIds, palace: Palace) {
  const { source, record, problems, guarded } = version;
  const unread = (source.unparsedRows ?? 0) + (source.leftOutRows ?? 0) + problems.length;
  return {
    messages: ids.now,
    leftOut: ids.leftOut,
    reshaped: filed.versions !== record.versions,
    isElsewhere: guarded === true ? () => false : turnsOf(source.standsIn ?? [], palace),
    incomplete: unread > 0 || ids.lost > 0,
  };
}

/** Returns a test whether one of these sources contains a turn. */
export function turnsOf(
  sourceKeys: readonly string[],
  palace: Palace,
): (turn: Pick<Section, 'role' | 'text'>) => boolean {
  const nameOf = ({ role, text }: Pick<Section, 'role' | 'text'>) => `${role}\0${text}`;
  let turns: Set<string> | undefined;
  const read = () =>
    new Set(sourceKeys.flatMap((key) => sectionsIn(palace, palace.sources.byKey(key)).map(nameOf)));
  return (turn) => {
    if (sourceKeys.length === 0) return false;
    turns ??= read();
    return turns.has(nameOf(turn));
  };
}

/** The turns of a filed transcript; none of a source that is not filed. */
export function sectionsIn({ sources }: Palace, filed: FiledSource | undefined): Section[] {
  if (filed === undefined) return [];
  return sectionsOf(sources.textOf(filed.id), sources.turnsOf(filed.id));
}

function textOf({ pieces }: Pick<NewVersion, 'pieces'>): string {
  return pieces.map(({ body }) => inflateRawSync(body).toString('utf8')).join('');
}

interface FiledSection extends Section {
  changed?: boolean;
}

/** The filed sections; those that the new version does not contain as they are without what must not be kept. */
async function filedSections(
  filed: FiledSource,
  palace: Palace,
  now: readonly Section[],
  clean: Recleaning | undefined,
) {
  const { text, marks, drafts } = palace.snapshot(() => ({
    text: palace.sources.textOf(filed.id),
    marks: palace.sources.turnsOf(filed.id),
    drafts: [...palace.archive.drawers(filed.id)] as Draft[],
  }));
  const sections: FiledSection[] = sectionsOf(text, marks);
  if (clean === undefined) return { text, sections, drafts };
  const known = new Set(now.map((section) => section.text));
  for (const [index, section] of sections.entries())
    if (!known.has(section.text)) sections[index] = await recleaned(section, clean);
  const questions = new Map<string, string>();
  for (const { context } of drafts) if (!questions.has(context)) questions.set(context, await clean(context));
  return {
    ...{ text, sections },
    drafts: drafts.map((draft) => ({ ...draft, context: questions.get(draft.context) ?? '' })),
  };
}

async function recleaned(section: Section, clean: Recleaning): Promise<FiledSection> {
  const { text, head } = section;
  const words = text.slice(head).trimEnd();
  const cleaned = await clean(words, spokenPlaceOf(section));
  if (cleaned === words) return section;
  return { ...section, text: text.slice(0, head) + cleaned + text.slice(head + words.length), changed: true };
}

interface MergedSection extends FiledSection {
  from: 'now' | 'filed';
  newlyGone?: boolean;
}

function mergedSections(
  sections: readonly Section[],
  filed: readonly FiledSection[],
  fates: ReturnType<typeof fatesOf>,
): MergedSection[] {
  const after = Array.from({ length: sections.length + 1 }, (): MergedSection[] => []);
  const instead = new Map<number, MergedSection>();
  for (const [index, fate] of fates.entries()) {
    const section = filed[index];
    if (section === undefined || fate.kind === 'present') continue;
    const isLost = fate.kind === 'kept' || fate.gone;
    const marks = { gone: isLost || undefined, newlyGone: isLost && !isGone(section) };
    const kept: MergedSection = { ...section, from: 'filed', ...marks };
    if (fate.kind === 'instead') instead.set(fate.at, kept);
    else after[fate.after + 1]?.push(kept);
  }
  return after.flatMap((followers, index) => {
    const section = sections[index - 1];
    if (section === undefined) return followers;
    return [instead.get(index - 1) ?? { ...section, from: 'now' as const }, ...followers];
  });
}

/** The merged text in as few stretches as possible: a drawer that spans several sections stays whole. */
function stretchesOf(
  merged: readonly MergedSection[],
  texts: Record<MergedSection['from'], { text: string; drafts: readonly Draft[] }>,
): Stretch[] {
  const stretches: (Stretch & { from: MergedSection['from']; end: number })[] = [];
  for (const { from, start, end, text, changed = false } of merged) {
    const last = stretches.at(-1);
    const source = texts[from];
    if (last !== undefined && !changed && !last.changed && last.from === from && last.end === start) {
      last.end = end;
      last.text = source.text.slice(last.start, end);
    } else stretches.push({ from, start, end, text, drafts: source.drafts, changed });
  }
  return stretches;
}

async function joined(
  { source, messages }: NewVersion,
  merged: readonly MergedSection[],
  stretches: readonly Stretch[],
  filedMessages: readonly string[],
): Promise<Merged> {
  const builder = new PieceBuilder();
  for (const { text } of stretches) await builder.add(text);
  const turns: TurnMark[] = [];
  let chars = 0;
  for (const { role, message, gone, text } of merged) {
    const marks = { ...(message === undefined ? {} : { message }), ...(gone === true ? { gone } : {}) };
    turns.push({ role, start: chars, ...marks });
    chars += text.length;
  }
  const whole = stretches.map(({ text }) => text).join('');
  const gone = merged.filter(isGone);
  const ids = gone.flatMap(({ message }) => message ?? []);
  // Copies of what is kept are still recognised.
  const copyKeys = filedMessages.filter((id) => id.startsWith(COPY_KEY_PREFIX));
  // It cuts Markdown, which a run that keeps nothing does without.
  const { joinedDrafts } = await import('./drafts.js');
  return {
    drafts: joinedDrafts(stretches),
    pieces: await builder.finish(),
    messages: [...new Set([...messages, ...ids, ...copyKeys])],
    turns,
    activity: activityOfText(whole, turns, source.directory),
    chars,
    gone: {
      all: countMessages(gone),
      newly: countMessages(gone.filter(({ newlyGone }) => newlyGone === true)),
    },
  };
}
