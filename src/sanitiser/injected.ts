import { type Code, codeIn } from './code.js';
import type { Edit } from './edits.js';

/** Where a text stands that may hold what a harness injected: what a user said, or what a tool gave back to one. */
export type SpokenPlace = 'turn' | 'result';

interface Injected {
  /** Lower case. */
  tag: RegExp;
  /** Not in results of tools, which may be files with an element of that name. */
  turnsOnly?: boolean;
}

/**
 * What harnesses put into the turns of users, by the name of its element. Elements that hold a person's own words
 * (`<command-args>`, `<bash-input>`, `<ide_selection>`) are not among them.
 */
const INJECTED: readonly Injected[] = [
  // Claude Code: reminders of files, to-do lists and plan mode, also behind results of tools; opencode likewise.
  { tag: /^system-reminder$/ },
  // Kimi CLI and scripts around other harnesses. A word of many formats, hence `turnsOnly`.
  { tag: /^system$/, turnsOnly: true },
  { tag: /^system[_-](?:instruction|message|prompt)s?$/ },
  // Claude Code: what a hook printed, `user-prompt-submit-hook`, `session-start-hook` and whatever comes.
  { tag: /^[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*-hook$/ },
  // MemPalace's own hooks and their like.
  { tag: /^hook[_-](?:output|additional[_-]context)$/ },
  // Claude Code: the note before what `!command` and slash commands print, and news of background tasks.
  { tag: /^local-command-caveat$/ },
  { tag: /^task-notification$/ },
];

const TAG = /<(\/?)([a-z][a-z0-9_-]{3,63})(\s[^<>]*)?>/gi;
const MAY_END = /<\/(?:system|hook|local-|task-|[a-z0-9_-]{1,60}-hook)/i;

/** An opening tag that waits for its end. */
interface Opening {
  start: number;
  code: Code | undefined;
}

/**
 * What a harness put into this text: each element of the table with all that is in it, balanced, nested or repeated,
 * in any case, over any number of lines. An opening tag without its end is left alone, so that no words are lost
 * after a text that was cut short. Linear.
 *
 * What a person wrote as code stays: an element whose tags both stand in one fenced block, or in one pair of
 * backticks on a line. A fence that never ends fences nothing, a line that begins with a closing fence ends it
 * whatever is glued to it, and an element that only begins or only ends in a fence goes: so a reminder behind a
 * block, or one with a fence in itself, is no code.
 *
 * @returns disjoint stretches in order
 */
export function findInjected(text: string, place: SpokenPlace): Edit[] {
  if (!MAY_END.test(text)) return [];
  const open = new Map<string, { outside: Opening[]; inCode: Opening[] }>();
  const found: Edit[] = [];
  const codes = codeIn(text);
  let next = 0;
  for (const { 0: whole, 1: slash, 2: name = '', 3: attributes = '', index: start } of text.matchAll(TAG)) {
    const tag = name.toLowerCase();
    if (attributes.endsWith('/') || !isInjected(tag, place)) continue;
    while ((codes[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const at = codes[next];
    const code = at !== undefined && at.start <= start ? at : undefined;
    let waiting = open.get(tag);
    if (waiting === undefined) {
      waiting = { outside: [], inCode: [] };
      open.set(tag, waiting);
    }
    if (slash === '') {
      (code === undefined ? waiting.outside : waiting.inCode).push({ start, code });
      continue;
    }
    const opening = openingOf(waiting, code);
    if (opening !== undefined) addOver(found, { start: opening.start, end: start + whole.length, text: '' });
  }
  return found;
}

function isInjected(tag: string, place: SpokenPlace): boolean {
  return INJECTED.some((row) => row.tag.test(tag) && (place === 'turn' || row.turnsOnly !== true));
}

/** The opening tag that a closing one ends; undefined when there is none, or both are a person's code. */
function openingOf(
  { outside, inCode }: { outside: Opening[]; inCode: Opening[] },
  code: Code | undefined,
): Opening | undefined {
  if (code === undefined) {
    if (outside.length > 0) return outside.pop();
    return inCode.at(-1)?.code?.fenced === true ? inCode.pop() : undefined;
  }
  if (inCode.at(-1)?.code === code) {
    inCode.pop();
    return undefined;
  }
  return code.fenced ? outside.pop() : undefined;
}

/** Adds a stretch that ends behind all others; those it covers or overlaps become part of it. */
function addOver(found: Edit[], stretch: Edit): void {
  let { start } = stretch;
  for (let last = found.at(-1); last !== undefined && last.end > start; last = found.at(-1)) {
    start = Math.min(start, last.start);
    found.pop();
  }
  found.push({ ...stretch, start });
}
