import { NOTICE } from '../core/outside.js';
import { plural } from '../core/plural.js';
import { applyEdits, type Edit } from './edits.js';

/**
 * Results of this product's tools are already in the palace. Filed with the transcript, they would be found and quoted
 * again. So a transcript stores one line with the ids of the drawers instead. The call stays.
 */

/** `mempalace_search`, `mcp__mempalace__…`, `mempalace__search`, and the server under another name. */
const OWN_TOOL = /(?:^|[^a-z])mempalace(?:[^a-z]|$)/i;
/** A script that calls tools by name, as in the code modes of Codex and pi. */
const OWN_TOOL_IN_CODE = /\b(?:tools|mcp|codemode)\s*(?:\.\s*|\[\s*['"`])\w*mempalace\w*/i;
/** Arguments of a proxy that name the server or tool to call. */
const PROXY_ARGUMENTS = ['tool', 'tool_name', 'toolName', 'name', 'server', 'server_name', 'serverName'];
/** Arguments that contain a command line or a script. */
const SCRIPT_ARGUMENTS = ['command', 'cmd', 'script', 'code', 'input', 'args'];

/** Commands that print content of the palace. */
const READING =
  'search|show|timeline|checkpoint|wake-up|list|diary|facts|kg|export|file|patterns|collection|conflicts|task|map|suggestions|metabolism';
/** At the beginning of a command: after a separator, assignments, or a program that runs another. */
const OWN_COMMAND = new RegExp(
  String.raw`(?:^|[\n;&|(\x60]|\$\(|(?:-\w*c\s+|,\s*)["'])\s*(?:\w+=\S*\s+|(?:sudo|env|time|nice|command|npx|timeout\s+\S+)\s+)*(?:[^\s;&|()"'\x60]*/)?mempalace\s+(?:--?[\w-]+(?:[= ][^\s-]\S*)?\s+)*(?:${READING})(?![\w-])`,
);

const DRAWER_ID = /\bdrawer_[0-9a-f]{8,64}\b/g;
const quoted = NOTICE.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The line before quotes from the palace: `memory (quoted from …)`. */
const NOTICE_LINE = new RegExp(String.raw`(?:^|\n)[ \t]*[\w ]{1,40}\(${quoted}\)[ \t]*(?=\r?\n|$)`);

/** Whether the result of this call quotes the palace. */
export function readsPalace(name: string, input: unknown): boolean {
  if (OWN_TOOL.test(name)) return true;
  if (typeof input === 'string') return OWN_TOOL_IN_CODE.test(input) || OWN_COMMAND.test(input);
  if (typeof input !== 'object' || input === null) return false;
  const text = (key: string): string => {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === 'string') return value;
    // A program and its arguments: `["bash", "-lc", "mempalace search …"]`.
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string').join(' ') : '';
  };
  return (
    PROXY_ARGUMENTS.some((key) => OWN_TOOL.test(text(key).slice(0, 100))) ||
    SCRIPT_ARGUMENTS.some((key) => {
      const script = text(key);
      return OWN_TOOL_IN_CODE.test(script) || OWN_COMMAND.test(script.replace(/^\S*sh\s+-\w*c\s+/, ''));
    })
  );
}

function echoLine(text: string): string {
  const ids = [...new Set(text.match(DRAWER_ID))];
  const list = ids.length === 0 ? '' : `: ${ids.join(', ')}`;
  return `[mempalace: ${plural(ids.length, 'drawer')}${list}]`;
}

/** Removes quotes from a tool's result. `reads`: the call read the palace (`readsPalace`) and did not fail. */
export function withoutQuotes(text: string, reads = false): { text: string; quoted: boolean } {
  const edits = findQuotes(text, reads);
  return { text: applyEdits(text, edits), quoted: edits.length > 0 };
}

/**
 * The quotes from the palace in a text: all of it for the result of a call that read the palace; otherwise the text
 * after our notice (a wake-up that a hook injected, a search under another name), from that line to the end of the text
 * or of the surrounding element.
 */
export function findQuotes(text: string, reads: boolean): Edit[] {
  if (reads) return isEchoLine(text) ? [] : [{ start: 0, end: text.length, text: echoLine(text) }];
  if (!text.includes(NOTICE)) return [];
  const found = NOTICE_LINE.exec(text);
  if (found === null) return [];
  const start = found.index + (found[0].startsWith('\n') ? 1 : 0);
  const rest = text.slice(start);
  const end = /\n<\/[\w-]+>[ \t]*(?=\r?\n|$)/.exec(rest)?.index ?? rest.length;
  return [{ start, end: start + end, text: echoLine(rest.slice(0, end)) }];
}

/** The replacement line itself is not replaced again. */
export function isEchoLine(text: string): boolean {
  return /^\[mempalace: \d+ drawers?(?:: drawer_[0-9a-f]+(?:, drawer_[0-9a-f]+)*)?\]$/.test(text);
}
