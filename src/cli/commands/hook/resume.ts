import { existsSync } from 'node:fs';
import {
  brokeOffText,
  CheckpointRecorder,
  MOST_RESUME_TOKENS,
  noteIn,
  type ResumeDraft,
  resumeDraft,
  resumeText,
  saysNothing,
  tellable,
} from '../../../checkpoint/index.js';
import type { Config } from '../../../config/index.js';
import { fnv1a } from '../../../core/hash.js';
import { buildSourceKey, KEY_KIND, MANUAL_CHECKPOINT } from '../../../core/source-key.js';
import { tailEntries } from '../../../feeders/transcripts/tail.js';
import { type Harness, sessionKey } from '../../../hooks/protocol.js';
import { endSession, noteOf, putNote, type SessionNote, sessionBefore } from '../../../hooks/sessions.js';
import { resolveFolders } from '../../../platform/folders.js';
import { createSanitiser } from '../../../sanitiser/index.js';
import type { Look, Starting } from './context.js';
import { transcriptIn } from './transcript.js';

/** The most that is read of a transcript, from its end. */
const TAIL_BYTES = 2 * 1024 * 1024;
/** The same of opencode. */
const TAIL_MESSAGES = 300;
/** So much of either is read if the user asked for nothing in that part, as in a long run without questions. */
const FAR = 8;
/** Enough to see whether it broke off, and what was asked. */
const END_BYTES = 512 * 1024;
/** The rest is for the wake-up. */
const SHARE = 2 / 3;
/** Longer texts are cut before they are sanitised; a hundredth of that is told. */
const MOST_CHARS = 256 * 1024;
/**
 * The same for a text of which one line of 240 characters is told, UTF-16 units: cut at the last space before `least`, or at
 * `most` where the words are too long.
 */
const MOST_OF_A_LINE = { least: 768, most: 2 * 1024 };
/** An empty line, the heading, and the line with type and time. */
const HEAD_LINES = 3;
/** Programs with the text in their system prompt: it is replaced there, and not part of what they resume. */
const FORGETFUL: readonly Harness[] = ['opencode', 'pi'];

export interface Resumed {
  /** In the frame of wake-up; empty if there is nothing to tell. */
  lines: string[];
  /** An earlier session whose end was not reported. */
  left?: SessionNote;
  /** To be called once the lines are printed, so that what nobody saw is told again. */
  onTold?: () => void;
}

/**
 * What a session is told of its own state, or of the session before it.
 *
 * @param attempt does what is not needed for that, and may fail
 */
export async function resume(
  { palace, harness, input, config }: Starting,
  look: Look,
  attempt: (writing: () => void) => void,
): Promise<Resumed> {
  const { sessionId, cwd, source } = input;
  if (sessionId === undefined) return { lines: [] };
  const note = noteOf(palace, { harness, sessionId, cwd });
  const transcript = transcriptIn(harness, sessionId, input) ?? note.transcript;
  const running = { ...note, transcript, ended: false };
  attempt(() => putNote(palace, running));
  const found =
    source === 'compact' || source === 'resume'
      ? await ownState(look, running, config, source === 'compact')
      : await stateBefore(palace, running, config);
  const hash = found.lines.length === 0 ? undefined : fnv1a(found.lines.join('\n'));
  // A session that is resumed still has what it was told at its compaction, under another heading.
  const state = fnv1a(found.lines.slice(HEAD_LINES).join('\n'));
  const known = source === 'resume' ? state : hash;
  const isTold = known !== undefined && note.told.includes(known) && !FORGETFUL.includes(harness);
  if (isTold || hash === undefined) return { ...found, lines: [] };
  const onTold = () => {
    putNote(palace, { ...running, told: [...new Set([...note.told, hash, state])] });
    found.onTold?.();
  };
  return { ...found, onTold };
}

async function ownState(
  look: Look,
  { harness, sessionId, transcript, cwd }: SessionNote,
  config: Config,
  isCompacted: boolean,
): Promise<Resumed> {
  const read = (part: number) =>
    recorded(harness, sessionId, transcript, { bytes: part * TAIL_BYTES, messages: part * TAIL_MESSAGES });
  let latest = (await read(1))?.latest(isCompacted);
  if (latest?.asks.length === 0) latest = (await read(FAR))?.latest(isCompacted);
  if (latest === undefined) return { lines: [] };
  const stood = { ...latest, note: lastNote(look, sessionKey({ harness, sessionId })) };
  if (saysNothing(stood)) return { lines: [] };
  const tokens = Math.min(MOST_RESUME_TOKENS, Math.floor(config.wakeUp.tokens * SHARE));
  const draft = tellable(resumeDraft(stood, cwd), tokens);
  return { lines: resumeText(await cleaned(draft, config), tokens) };
}

/** The last note that the user left in a checkpoint of a session, with its time; the transcript does not contain it. */
function lastNote({ palace }: Look, session: string): string | undefined {
  const prefix = buildSourceKey({ kind: KEY_KIND.checkpoint, owner: session, name: MANUAL_CHECKPOINT });
  for (const { id, mtimeMs } of palace?.sources.below(prefix).reverse() ?? []) {
    const note = noteIn(palace?.sources.textOf(id) ?? '');
    if (note !== undefined)
      return `${new Date(mtimeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${note}`;
  }
  return undefined;
}

async function stateBefore(palace: string, note: SessionNote, config: Config): Promise<Resumed> {
  const left = sessionBefore(palace, note);
  if (left === undefined || left.ended) return { lines: [] };
  const recorder = await recorded(left.harness, left.sessionId, left.transcript, {
    bytes: END_BYTES,
    messages: TAIL_MESSAGES,
  });
  if (recorder?.brokeOff !== true) {
    endSession(palace, left);
    return { lines: [], left };
  }
  const { at, asks } = recorder.open;
  const told = await cleanedTexts(asks.slice(-1).map(beginning), config);
  const lines = brokeOffText({ at, asks: told }, left.sessionId);
  return { lines, left, onTold: () => endSession(palace, left) };
}

async function recorded(
  harness: Harness,
  sessionId: string,
  transcript: string | undefined,
  { bytes, messages }: { bytes: number; messages: number },
): Promise<CheckpointRecorder | undefined> {
  const recorder = new CheckpointRecorder(false);
  if (harness === 'opencode') {
    const { locateDatabases } = await import('../../../feeders/session/locate.js');
    const { sessionTail } = await import('../../../feeders/session/tail.js');
    const { found } = locateDatabases({ db: [], env: process.env, folders: resolveFolders(process.env) });
    for (const event of sessionTail(found, sessionId, messages)) recorder.add(event);
    return recorder;
  }
  // A session that was opened and closed has no transcript.
  if (transcript === undefined || !existsSync(transcript)) return undefined;
  for await (const entry of tailEntries(harness, transcript, bytes))
    if (entry.kind !== 'malformed') recorder.add(entry);
  return recorder;
}

/** Between texts that are sanitised together. */
const BETWEEN = '\n\n\u241E\n\n';

/** Without secrets, which the transcript contains. */
async function cleaned({ head, sections }: ResumeDraft, config: Config): Promise<ResumeDraft> {
  const given = sections.flatMap(({ items, text }) => [
    ...items.map(beginning),
    ...(text === undefined ? [] : [ends(text)]),
  ]);
  const texts = (await cleanedTexts([head, ...given], config)).values();
  const next = () => texts.next().value ?? '';
  return {
    head: next(),
    sections: sections.map(({ items, text, ...section }) => ({
      ...section,
      items: items.map(next),
      ...(text === undefined ? {} : { text: next() }),
    })),
  };
}

async function cleanedTexts(texts: readonly string[], { privacy }: Config): Promise<string[]> {
  const scope = (await createSanitiser({ redact: true, rules: privacy.rules })).scope();
  const clean = async (text: string) => (await scope.clean(text)).text;
  // Once for all of them is a tenth of the time.
  const together = (await clean(texts.join(BETWEEN))).split(BETWEEN);
  if (together.length === texts.length) return together;
  // One of them contains the mark, or begins what another one ends.
  for (const text of texts) await scope.learn(text);
  return Promise.all(texts.map(clean));
}

/** Of a text that is too long, its beginning and its end: of no other part anything is told. */
function ends(text: string): string {
  return text.length <= MOST_CHARS ? text : text.slice(0, MOST_CHARS / 2) + text.slice(-MOST_CHARS / 2);
}

/** Enough of a text for the line that is told. A word that the end cuts could be half of a secret, so it is left out. */
function beginning(text: string): string {
  const { least, most } = MOST_OF_A_LINE;
  if (text.length <= least) return text;
  // A private block is known by its end.
  if (/<private/i.test(text)) return ends(text);
  const words = text.slice(0, least).replace(/\S+$/, '');
  return words.length > least / 2 ? words : text.slice(0, most);
}
