import { type $ZodIssue, toDotPath } from 'zod/v4/core';
import { plural } from './plural.js';

type Issue = $ZodIssue;

/** Beginnings of zod's own messages. All other messages are ours. */
const ITS_OWN = /^(?:Invalid |Too (?:small|big)|Unrecognized |Duplicate )/;
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item' };
const VALUES_SHOWN = 12;

/** An issue as a plain sentence: `limit must be a whole number`. `whole` names a value that is wrong altogether. */
export function issueText(issue: Issue | undefined, whole = 'the value'): string {
  if (issue === undefined) return `${whole} has an unknown form`;
  const name = toDotPath(issue.path) || whole;
  return ITS_OWN.test(issue.message) ? `${name} ${complaint(issue)}` : `${name}: ${issue.message}`;
}

/** All issues of an error, each once. */
export function issuesText({ issues }: { issues: readonly Issue[] }, whole?: string): string {
  return [...new Set(issues.map((issue) => issueText(issue, whole)))].join('; ');
}

/** An issue without the name of the value: `must be text`. */
export function complaint(issue: Issue): string {
  if (!ITS_OWN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      // zod's issue does not contain the value.
      if (/received undefined$/.test(issue.message)) return 'is missing';
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${listed(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return `must ${bounded(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bounded(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has no ${listed(issue.keys.map((key) => JSON.stringify(key)))}`;
    case 'invalid_union': {
      const [first] = issue.errors.flat();
      return first === undefined ? 'has an unknown form' : complaint(first);
    }
    case 'invalid_format':
      return issue.format === 'regex' ? 'has the wrong form' : `must be a valid ${issue.format}`;
    default:
      return 'has an unknown form';
  }
}

function bounded(origin: string, how: string, bound: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${how} ${bound}` : `have ${how} ${plural(Number(bound), unit)}`;
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, VALUES_SHOWN);
  const last = shown.pop() ?? '';
  if (values.length > VALUES_SHOWN) return `${[...shown, last].join(', ')} or another of ${values.length}`;
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`;
}
