import type { Component, PiTool, ToolResult } from './pi-api.ts';

const FEW_LINES = 4;
/** Of an expanded result; the whole is in the session's file. */
const MANY_LINES = 400;

/** A call as one line, a result as a few; the usual key of pi shows all of it. */
export function renderersOf(name: string): Pick<PiTool, 'renderCall' | 'renderResult'> {
  return {
    renderCall(args, theme) {
      const words = Object.entries(args ?? {}).map(([key, value]) =>
        key === 'query' ? JSON.stringify(value) : `${key}=${JSON.stringify(value)}`,
      );
      return shown((width) => {
        const [line = ''] = wrapped(`${name} ${clean(words.join(' '))}`, width);
        const title = theme.fg('toolTitle', theme.bold(line.slice(0, name.length)));
        return [title + theme.fg('muted', line.slice(name.length))];
      });
    },
    renderResult: (result, { expanded, isPartial }, theme) =>
      shown((width) => {
        const lines = isPartial ? ['…'] : linesOf(result, expanded, width);
        return lines.map((line) => theme.fg('toolOutput', line));
      }),
  };
}

function linesOf(result: ToolResult, expanded: boolean, width: number): string[] {
  const text = result.content.map((part) => part.text ?? '').join('\n');
  const parsed = parsedOf(text);
  const all = expanded
    ? plainLines(parsed === undefined ? text : JSON.stringify(parsed, null, 2)).flatMap((line) =>
        wrapped(line, width),
      )
    : summary(text, parsed).map((line) => wrapped(line, width)[0] ?? '');
  const most = expanded ? MANY_LINES : FEW_LINES;
  const left = all.length - most;
  return left > 0 ? [...all.slice(0, most), ...wrapped(`… ${left} more`, width).slice(0, 1)] : all;
}

/** Hits with their place, an error's words, the names of a text; else the beginning. */
function summary(text: string, parsed: Record<string, unknown> | undefined): string[] {
  if (parsed === undefined) return plainLines(text);
  const { error, hint, results, entries, text: words } = parsed;
  if (typeof error === 'string') return [clean(typeof hint === 'string' ? `${error}: ${hint}` : error)];
  const rows = [results, entries].find((each) => Array.isArray(each));
  if (Array.isArray(rows)) return rows.length === 0 ? ['nothing found'] : rows.map(rowOf);
  if (typeof words === 'string') return plainLines(words);
  const told = Object.entries(parsed).filter(([key]) => key !== 'notice');
  return [clean(told.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('  '))];
}

function rowOf(row: unknown): string {
  if (typeof row !== 'object' || row === null) return clean(String(row));
  const fields = row as Record<string, unknown>;
  const place = [fields.title ?? fields.source_file ?? fields.topic, fields.wing, fields.date]
    .filter((each) => typeof each === 'string')
    .join(' · ');
  const words = fields.text ?? fields.content;
  return clean(typeof words === 'string' ? `${place}  ${words.slice(0, 300)}` : place);
}

function parsedOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const plainLines = (text: string): string[] => text.split(/\r?\n/).map(clean);

/** On one line, and without anything that a terminal would obey: the text may come from anywhere. */
function clean(text: string): string {
  return text.replace(/\s+/g, (blank) => (/[\r\n\t]/.test(blank) ? ' ' : blank)).replace(/\p{C}/gu, '');
}

function shown(render: (width: number) => string[]): Component {
  return { render, invalidate: () => {} };
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|[\u{20000}-\u{3fffd}]/u;

/** A line in pieces that are not wider than the terminal. */
function wrapped(line: string, width: number): string[] {
  const pieces = [''];
  let columns = 0;
  for (const character of line) {
    const more = WIDE.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
    if (more > width) continue;
    columns += more;
    if (columns > width) {
      pieces.push('');
      columns = more;
    }
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}
