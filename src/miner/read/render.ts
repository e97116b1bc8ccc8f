/** The arguments that say by themselves what a call does; the first one present stands on the call's first line. */
const TELLING = [
  'command',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'prompt',
  'description',
];
const DEEPEST = 6;

/**
 * A tool call as people read it: `[tool bash] ls -la`, further arguments as `name: value` lines, texts of
 * several lines verbatim on lines of their own and never escaped.
 */
export function renderCall(name: string, input: unknown): string {
  const label = `[tool ${name.replace(/\s+/g, ' ')}]`;
  if (input === undefined || input === null) return label;
  if (typeof input !== 'object') return withValue(label, String(input), ' ');
  const fields = Object.entries(input);
  const telling =
    fields.length === 1 ? fields[0]?.[0] : TELLING.find((key) => typeof Reflect.get(input, key) === 'string');
  const first = fields.find(([key, value]) => key === telling && typeof value === 'string');
  const lines = [first === undefined ? label : withValue(label, String(first[1]), ' ')];
  for (const [key, value] of fields) {
    if (key !== first?.[0]) renderField(key, value, 0, lines);
  }
  return lines.join('\n');
}

function withValue(label: string, value: string, separator: string): string {
  if (value === '') return label;
  return /[\r\n]/.test(value) ? `${label}\n${value}` : `${label}${separator}${value}`;
}

function renderField(key: string, value: unknown, depth: number, lines: string[]): void {
  if (value === null || value === undefined) return;
  if (typeof value !== 'object') {
    lines.push(withValue(`${key}:`, String(value), ' '));
    return;
  }
  const entries = Object.entries(value);
  const flat = entries.every(
    ([, item]) => typeof item !== 'object' && !(typeof item === 'string' && /[\r\n"\\]/.test(item)),
  );
  if (depth >= DEEPEST || (flat && Array.isArray(value))) {
    lines.push(`${key}: ${JSON.stringify(value)}`);
    return;
  }
  for (const [inner, item] of entries) renderField(`${key}.${inner}`, item, depth + 1, lines);
}
