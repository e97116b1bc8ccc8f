import { exactly, type Finder, matchAt } from './finder.js';
import type { Finding } from './findings.js';

const SECRET = /\bkind["']?:[ \t]*["']?Secret\b/;
/** Maximum distance of the kind from the data. */
const NEAR = 2_048;
const BLOCK = /data["']?:[ \t]{0,4}\{?[ \t]{0,4}\r?\n/y;
const COMMENT = /[ \t]{1,64}#[^\n]{0,512}\n/y;
/** `  key: bXl2YWx1ZQ==`, `"key": "…",`, and a block of YAML with one line. */
const LINE =
  /[ \t]{1,64}["']?[\w.-]{1,253}["']?:[ \t]{0,8}(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,64})?["']?(?<value>[A-Za-z0-9+/]{0,65536}={0,2})["']?,?[ \t]{0,8}(?:\r?\n|$)/dy;
/** Shorter values are words such as `admin` and `true`. */
const LEAST = 12;
/** A certificate and a public key (PEM, or the sequence that DER begins with); a private key may follow the certificate. */
const PUBLIC = /^(?:LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR|LS0tLS1CRUdJTiBQVUJMSUMg|MII[CDEFGHI][A-Za-z0-9+/]{2}CCA)/;
const isPublic = (value: string): boolean =>
  PUBLIC.test(value) && !Buffer.from(value, 'base64').includes('PRIVATE KEY');

/** The values of a Kubernetes Secret, under any keys. */
export const KUBERNETES: Finder = {
  anchors: exactly(['data:', 'data":', "data':"]),
  at: (text, place) => {
    if (matchAt(BLOCK, text, place) === null) return undefined;
    const findings: Finding[] = [];
    let end = BLOCK.lastIndex;
    for (;;) {
      while (matchAt(COMMENT, text, end) !== null) end = COMMENT.lastIndex;
      const [from = 0, to = 0] = matchAt(LINE, text, end)?.indices?.groups?.value ?? [];
      if (to === 0) break;
      end = LINE.lastIndex;
      if (to - from >= LEAST && (to - from) % 4 === 0 && !isPublic(text.slice(from, to)))
        findings.push({ start: from, end: to, kind: 'secret', general: true });
    }
    if (findings.length === 0) return { findings, next: end };
    const isSecret = SECRET.test(text.slice(Math.max(0, place - NEAR), place) + text.slice(end, end + NEAR));
    return { findings: isSecret ? findings : [], next: end };
  },
};
