import { type Code, codeIn } from './code.js';
import type { Edit } from './edits.js';

/** Where text injected by a program may occur: a user's turn, or the result of a tool. */
export type SpokenPlace = 'turn' | 'result';

/**
 * Elements that agent programs inject into users' turns, by name. Elements with the user's own words
 * (`<command-args>`, `<bash-input>`, `<ide_selection>`) are not included.
 */
const INJECTED: readonly RegExp[] = [
  // Claude Code and opencode: reminders of files, to-do lists and plan mode, also after results of tools.
  /^system-reminder$/,
  /^system[_-](?:instruction|message|prompt)s?$/,
  // Claude Code: output of hooks, such as `user-prompt-submit-hook` and `session-start-hook`.
  /^[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*-hook$/,
  // MemPalace's own hooks and similar ones.
  /^hook[_-](?:output|additional[_-]context)$/,
  // Claude Code: the note before the output of `!command` and slash commands, and news of background tasks.
  /^local-command-caveat$/,
  /^task-notification$/,
];

const TAG = /<(\/?)([a-z][a-z0-9_-]{3,63})(\s[^<>]*)?>/gi;
const MAY_END = /<\/(?:system|hook|local-|task-|[a-z0-9_-]{1,60}-hook)/i;

/** An opening tag without its closing tag. */
interface Opening {
  start: number;
  code: Code | undefined;
}

/**
 * Finds the injected elements of the table with their content: nested or repeated, in any case, multi-line. An opening
 * tag without its closing tag stays, so that no words are lost after a truncated text. Linear.
 *
 * Code stays: an element with both tags in one fenced block, or in one pair of backticks on a line. An unclosed fence
 * does not count. A line that begins with a closing fence ends the block, regardless of adjacent text. An element with
 * only one tag in a fence is removed: it is a reminder after a block, or one that contains a fence.
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
    while ((codes[next]?.end ?? Infinity) <= start) next += 1;
    const at = codes[next];
    const code = at !== undefined && at.start <= start ? at : undefined;
    const waiting = open.get(tag) ?? { outside: [], inCode: [] };
    open.set(tag, waiting);
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
  // Kimi CLI and scripts around other programs use `<system>`. Results of tools may be files with such an element.
  if (tag === 'system') return place === 'turn';
  return INJECTED.some((name) => name.test(tag));
}

/** The opening tag for a closing one; undefined when there is none, or both are in the user's code. */
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

/** Adds a stretch that ends after all others, and merges it with those that it overlaps. */
function addOver(found: Edit[], stretch: Edit): void {
  let { start } = stretch;
  for (let last = found.at(-1); last !== undefined && last.end > start; last = found.at(-1)) {
    start = Math.min(start, last.start);
    found.pop();
  }
  found.push({ ...stretch, start });
}
