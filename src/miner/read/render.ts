/** Arguments that describe a call. The first one present is on the call's first line. */
const MAIN_ARGUMENTS = 'command file_path filePath path pattern query url prompt description'.split(' ');
const DEEPEST = 6;

/**
 * Renders a tool call as `[tool bash] ls -la`, with further arguments as `name: value` lines. Texts of several lines
 * are on separate lines, never escaped.
 */
export function renderCall(name: string, input: unknown): string {
  const label = `[tool ${name.replace(/\s+/g, ' ')}]`;
  if (input === undefined || input === null) return label;
  if (typeof input !== 'object') return withValue(label, String(input), ' ');
  const fields = Object.entries(input);
  const isText = (key: string) => typeof Reflect.get(input, key) === 'string';
  const main = fields.length === 1 ? fields[0]?.[0] : MAIN_ARGUMENTS.find(isText);
  const first = fields.find(([key, value]) => key === main && typeof value === 'string');
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
