const LINE_BREAK = '[ \\t]*\\r?\\n[ \\t]*';
/** Lines of at least 60 characters are more data, as mail and exporters wrap it; the last one may be shorter. */
const WRAPPED = `(?:(?:${LINE_BREAK}[A-Za-z0-9+/_-]{60,})+(?:${LINE_BREAK}[A-Za-z0-9+/_-]+(?==|["')>]|\\s*(?:\\n[ \\t\\r]*\\n|$)))?)?`;
/** A picture or another file within a text: in Markdown, HTML, CSS or an exported notebook. */
const DATA = new RegExp(
  `data:([a-z]{1,40}/[\\w.+-]{1,100})?(?:;[\\w.+-]{1,40}=[^;,\\s"'()<>]{1,100}){0,4}; ?base64, ?([A-Za-z0-9+/_-]*${WRAPPED}={0,2})`,
  'gi',
);
/** Shorter data is left as it is, characters. */
const SHORT = 128;
const UNITS = ['bytes', 'kB', 'MB'];

/** A text in which such data is a word: `[image/png, 135 kB]`. Data is not text: nobody searches it. */
export function withoutInlineData(text: string): string {
  if (!/base64,/i.test(text)) return text;
  return text.replace(DATA, (whole, type = 'data', data = '') =>
    data.length < SHORT ? whole : `[${type.toLowerCase()}, ${sizeOf(data)}]`,
  );
}

function sizeOf(data: string): string {
  let size = (data.replace(/[\s=]+/g, '').length * 3) / 4;
  let unit = 0;
  for (; size >= 1000 && unit < UNITS.length - 1; unit += 1) size /= 1000;
  return `${Math.round(size)} ${UNITS[unit]}`;
}
