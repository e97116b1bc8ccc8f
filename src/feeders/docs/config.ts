import { join } from 'node:path';
import type { Document } from 'yaml';
import { z } from 'zod';
import { messageOf, UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { PRIORITIES, type Priority } from '../../core/importance.js';
import { issueText } from '../../core/issues.js';
import { isRecord } from '../../core/json.js';
import { editDistance, suggest } from '../../core/suggest.js';
import { wingProblem } from '../../core/wing.js';
import { decodeText } from '../../platform/decode.js';
import { isAbsent, readInProject } from './open-file.js';
import { printable, type Room } from './wing-and-room.js';

export const CONFIG_NAME = 'mempalace.yaml';

export interface ProjectConfig {
  /** SHA-256 of the file's bytes, in hexadecimal. The user approves this hash. */
  sha256: string;
  wing?: string | undefined;
  rooms: Room[];
  includePatterns: string[];
  excludePatterns: string[];
  /** The last rule whose gitignore pattern matches a document gives its priority. */
  priorities: { match: string; priority: Priority }[];
  /** Remarks on keys that are nearly known ones; absent without any. */
  notes?: string[];
}

/** Far more than a user writes. The parser takes seconds for a megabyte of broken YAML. */
const MOST_BYTES = 256 * 1024;

const wanted = (what: string) => ({ error: `this must be ${what}` });
/** YAML reads `2024` as a number, but as a room or a keyword it is a name. */
const name = z
  .union([z.string(), z.number()], wanted('a name'))
  .transform((value) => String(value).normalize('NFC'));
const roomName = name
  .transform(printable)
  .refine((value) => value !== '' && value.length <= 128, 'a room needs a name of 1 to 128 characters');
const optional = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((given) => given ?? undefined);
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, wanted('a list (a line with - for each)'))
    .nullish()
    .transform((value) => value ?? []);
const pattern = z
  .string(wanted('a pattern in quotes'))
  .refine(
    (value) => !value.split(/[\\/]/).includes('..'),
    'a pattern may not reach outside the project (..)',
  );

const roomEntry = z.object(
  {
    name: roomName,
    description: optional(z.string(wanted('a text'))),
    keywords: list(name),
    by_folder: optional(z.boolean(wanted('true or false'))),
    cold: optional(z.boolean(wanted('true or false'))),
  },
  wanted('a room with name and keywords'),
);
const priorityRule = z.object(
  {
    match: pattern.refine((value) => /^[^!#\s]/.test(value), 'a pattern may not begin with ! or #'),
    priority: z.enum(PRIORITIES, wanted('high, medium or low')),
  },
  wanted('a rule with match and priority'),
);

const configSchema = z.object(
  {
    wing: optional(
      name.superRefine((value, context) => {
        const problem = wingProblem(value);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
    ),
    rooms: list(roomEntry.transform(({ by_folder: byFolder, ...room }) => ({ ...room, byFolder }))),
    priorities: list(priorityRule),
    include_patterns: list(pattern),
    exclude_patterns: list(pattern),
  },
  wanted('a mapping with wing, rooms, priorities, include_patterns and exclude_patterns'),
);

/**
 * Reads the `mempalace.yaml` of a project's root. Links and other irregular files are not read; the survey reports
 * them. Unknown keys are ignored, since other programs may use them; a key that is nearly a known one gets a note.
 *
 * @returns undefined when there is none
 * @throws UserError `config` with file, line and reason when it is malformed or cannot be read
 */
export async function readProjectConfig(root: string): Promise<ProjectConfig | undefined> {
  const bytes = readConfigFile(root);
  if (bytes === undefined) return undefined;
  const [{ isMap, LineCounter }, { readYaml }] = await Promise.all([
    import('yaml'),
    import('../../platform/yaml.js'),
  ]);
  const lines = new LineCounter();
  const fail = (offset: number, reason: string) => configError(reason, lines.linePos(offset).line || 1);
  // The parser's own search for duplicate keys takes quadratic time. The top-level keys are checked below.
  const { document, value } = readYaml(decodeText(bytes).text, { lines, fail, uniqueKeys: false });

  if (isMap(document.contents)) {
    const seen = new Set<unknown>();
    for (const { key } of document.contents.items) {
      const text = String(key);
      if (seen.has(text)) throw fail(offsetOf(key), `${text} appears here twice`);
      seen.add(text);
    }
  }
  const parsed = configSchema.safeParse(value ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw fail(locate(document, issue?.path ?? []), issueText(issue, 'the file'));
  }
  const { include_patterns: includePatterns, exclude_patterns: excludePatterns, ...rest } = parsed.data;
  const notes = nearMisses(value).map(({ path, similar }) => {
    const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const pair = isMap(map) ? map.items.find(({ key }) => String(key) === path.at(-1)) : undefined;
    const { line } = lines.linePos(offsetOf(pair?.key));
    return `${CONFIG_NAME}:${line}: ${path.at(-1)} is not a key and is ignored, did you mean ${similar}?`;
  });
  const config = { sha256: sha256(bytes), ...rest, includePatterns, excludePatterns };
  return notes.length === 0 ? config : { ...config, notes };
}

/** Far more than a user writes. */
const MOST_COMPARED = 100;
/** Keys by the list whose items have them; the empty name is that of the file itself. */
const KNOWN = {
  '': Object.keys(configSchema.shape),
  rooms: Object.keys(roomEntry.shape),
  priorities: Object.keys(priorityRule.shape),
};

function nearMisses(value: unknown): { path: (string | number)[]; similar: string }[] {
  return Object.entries(KNOWN).flatMap(([list, known]) => {
    const items: unknown = list === '' ? [value] : isRecord(value) ? value[list] : undefined;
    return (Array.isArray(items) ? items : []).flatMap((item: unknown, index) =>
      Object.keys(isRecord(item) ? item : {})
        .slice(0, MOST_COMPARED)
        .flatMap((key) => {
          const plain = key.toLowerCase().replaceAll('-', '_');
          // `exclude`, `excludes`
          const longer = known.find((name) => name.startsWith(`${plain.replace(/s$/, '')}_p`));
          const similar = known.includes(key) ? undefined : (longer ?? suggest(key, known));
          // `color` may be another program's, and is not `cold`.
          const isNear =
            similar !== undefined &&
            (similar === longer || editDistance(plain, similar) * 3 < similar.length);
          return !isNear ? [] : [{ path: list === '' ? [key] : [list, index, key], similar }];
        }),
    );
  });
}

function readConfigFile(root: string): Uint8Array | undefined {
  try {
    const { stat, head } = readInProject(join(root, CONFIG_NAME), root, MOST_BYTES);
    if (!stat.isFile()) return undefined;
    if (stat.size > MOST_BYTES) throw configError('larger than 256 KB', 1);
    return head;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (error instanceof UserError) throw error;
    // Its patterns may say what in the project is private, so the run ends.
    throw new UserError('config', `${CONFIG_NAME}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Offset of the node at this path, or of the nearest node around it. */
function locate(document: Document, path: readonly PropertyKey[]): number {
  if (path.length === 0) return 0;
  const node = document.getIn(path, true);
  return node === undefined || node === null ? locate(document, path.slice(0, -1)) : offsetOf(node);
}

function offsetOf(node: unknown): number {
  return z.object({ range: z.tuple([z.number()], z.number()) }).safeParse(node).data?.range[0] ?? 0;
}

function configError(reason: string, line: number): UserError {
  return new UserError('config', `${CONFIG_NAME}:${line}: ${reason}`, {
    hint: 'correct that line; docs/documents.md shows what the file may contain',
  });
}
