import { z } from 'zod';
import { isZone } from '../core/day.js';
import { patternProblem } from './pattern.js';

const wanted = (what: string) => `${what} is wanted`;

const text = (what: string, form: RegExp) => {
  const error = wanted(what);
  return z.string({ error }).regex(form, { error });
};

const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item, { error: wanted('a list (a line with - for each)') });

/** A section of the file. Unknown names are refused. */
export const mapping = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? wanted('a mapping (name: value)') : undefined),
  });

const SHARE = wanted('a number from 0 to 1');
const WEIGHT = wanted('a number of at least 0');

/** What the configuration file may say. Every message says what is wanted. */
export const FORMS = {
  whole(least: number, most: number) {
    const error = wanted(`a whole number from ${least} to ${most}`);
    return z.int({ error }).min(least, { error }).max(most, { error });
  },
  choice: (names: readonly [string, ...string[]]) =>
    z.enum(names, { error: wanted(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`) }),
  share: z.number({ error: SHARE }).min(0, { error: SHARE }).max(1, { error: SHARE }),
  weight: z.number({ error: WEIGHT }).min(0, { error: WEIGHT }),
  path: text('a path that starts with / or ~/', /^(?:\/|~\/|~$)/),
  modelName: text("a model's name", /^\S+$/),
  nameThere: text("a model's name", /\S/),
  url: text('an address that starts with http:// or https://', /^https?:\/\/\S+$/),
  broker: text('auto, off, or the address of a broker', /^\S+$/),
  halfLife: text(
    'a duration such as 12h, 30d or 2w',
    /^(?:0*[1-9]\d{0,5}(?:\.\d{1,6})?|0?\.\d{0,5}[1-9])[hdw]$/,
  ),
  idle: text('a duration such as 90s, 30m or 2h', /^0*[1-9]\d{0,5}[smh]$/),
  watch: text('off, or a duration such as 90s, 2m or 1h', /^(?:off|0*[1-9]\d{0,5}[smh])$/),
  zone: z
    .string({ error: wanted('the name of a time zone') })
    .refine(isZone, wanted('the name of a time zone, such as Europe/Berlin,')),
  places: list(text('a wing or wing/room', /^[^/]+(?:\/[^/]+)?$/)),
  patterns: list(
    text("a pattern as in .gitignore, relative to a project's folder", /\S/).refine(
      (pattern) => !pattern.split(/[\\/]/).includes('..'),
      'a pattern may not reach outside (..)',
    ),
  ),
  rules: list(
    mapping({
      kind: text(
        'a kind of lower-case letters, digits and dashes',
        /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
      ).describe('the name shown in place of the text: [REDACTED:<kind>]'),
      pattern: z
        .string({ error: wanted('a regular expression') })
        .superRefine((pattern, context) => {
          const problem = patternProblem(pattern);
          if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
        })
        .describe('a JavaScript regular expression (flags g and u); what it matches is replaced'),
    }),
  ),
};

export type Forms = typeof FORMS;
