/** Base64, also of URLs, escaped in JSON and with percent signs. */
const BASE64 = String.raw`(?:[A-Za-z0-9+/_-]|\\/|%2[BF])`;
/** Between lines: indentation, the mark of a quote. */
const BREAK = String.raw`[ \t]*\r?\n[ \t>]*`;
/** Full lines are more data, as mail and exporters wrap it; the last one may be shorter. */
const WRAPPED = `(?:(?:${BREAK}${BASE64}{60,})+(?:${BREAK}${BASE64}+(?==|%3D|["')>]|\\s*(?:\\n[ \\t\\r]*\\n|$)))?)?`;
/** A picture or another file within a text: in Markdown, HTML, CSS or an exported notebook. */
const DATA = new RegExp(
  `data:([a-z]{1,40}\\\\?/[\\w.+-]{1,100})?(?:;[\\w.+-]{1,40}=[^;,\\s"'()<>]{1,100}){0,4}; ?base64, ?(${BASE64}*${WRAPPED}(?:=|%3D){0,2})`,
  'gi',
);
/** An address with a drawing as text: `data:image/svg+xml,%3Csvg…`. */
const DRAWING = /data:(image\/svg\+xml)(?:;[\w.+-]{1,40}(?:=[\w-]{1,40})?){0,4},(%3Csvg[^\s"'<>]*)/gi;
/** Data without a mark: one very long word, or full lines of one length, as in a notebook, a mail or `!!binary` of YAML. */
const LONG = /(?<![\w+/-])(?=[A-Za-z0-9+/_-]{1024})((?:[A-Za-z0-9+/_-]|\\\/)+={0,2})(?![\w+/-])/g;
const LINES =
  /(?<=^[ \t>]*)([A-Za-z0-9+/]{60,256})(?=\r?\n)(?:\r?\n\s*[A-Za-z0-9+/]{60,256}(?=\s)){11,}(?:\r?\n[ \t>]*[A-Za-z0-9+/]{1,256}={0,2}(?=[ \t]*\r?\n[ \t>]*(?:\W|\r?\n|$)|\s*$))?/gm;
/** Shorter data is left as it is, characters. */
const SHORT = 40;
const UNITS = ['bytes', 'kB', 'MB'];
/** How files begin in base64. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];

/** A text in which such data is a word: `[image/png, 135 kB]`. Data is not text: nobody searches it. */
export function withoutInlineData(text: string): string {
  const rest = withoutDataAddresses(text);
  const unmarked = (at: string, data: string, offset: number) =>
    isData(data) && !/-{5}\s*$/.test(at.slice(Math.max(0, offset - 80), offset))
      ? wordFor(typeOf(data), data)
      : data;
  const long = rest.replace(LONG, (data: string, _: string, offset: number) => unmarked(rest, data, offset));
  return long.replace(LINES, (data: string, _: string, offset: number) => unmarked(long, data, offset));
}

/** The same for data with an address alone. */
export function withoutDataAddresses(text: string): string {
  let rest = text;
  if (/base64,/i.test(rest))
    rest = rest.replace(DATA, (whole, type = 'data', data = '') =>
      data.length < SHORT ? whole : wordFor(type.replace('\\', '').toLowerCase(), data),
    );
  if (!/%3Csvg/i.test(rest)) return rest;
  return rest.replace(DRAWING, (_, type: string, data: string) =>
    wordFor(type.toLowerCase(), data, data.endsWith(')') ? ')' : ''),
  );
}

/** Not a name, a path, a number or hexadecimal digits; a block `-----BEGIN …-----` stays, too: it may be a key. */
function isData(text: string): boolean {
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text) && /[G-Zg-z]/.test(text);
}

const typeOf = (data: string): string =>
  BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'data';

/** @param after what follows the data */
function wordFor(type: string, data: string, after = ''): string {
  const isText = data.startsWith('%3C') || data.startsWith('%3c');
  const characters = data.replace(/[\s=>\\]+|%3D/gi, '').replace(/%[\dA-F]{2}/gi, '+').length;
  let size = isText ? characters : (characters * 3) / 4;
  let unit = 0;
  for (; size >= 1000 && unit < UNITS.length - 1; unit += 1) size /= 1000;
  return `[${type}, ${Math.round(size)} ${UNITS[unit]}]${after}`;
}
