import { Activity } from './activity.js';
import { type Fields, fieldsOf } from './fields.js';
import { renderedCall } from './rendered.js';

/** A commit, as git reported it. */
interface Commit {
  /** Abbreviated, as git printed it. */
  hash: string;
  subject: string;
}

/** A call as it is filed: `[tool bash] git commit …`, and what it returned, without the line above it. */
export interface SaidCall {
  call: string;
  result: string;
  failed: boolean;
}

/** What a session leaves behind. */
export interface Outcome {
  /** In order, each once. */
  commits: Commit[];
  /** Items of its own list that are not done, as its last call left the list. */
  open: string[];
}

/** What `git commit` prints first: `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`. */
const COMMITTED = /^\[[^\]\n]+ ([0-9a-f]{7,40})\] (.+)$/gm;
const COMMITS = /\bgit\b[^\n]*\bcommit\b/;
/** The commit before is gone. */
const AMENDS = /\s--amend\b/;

/** What the calls of a session, in order, leave behind. */
export function outcomeOf(calls: Iterable<SaidCall>): Outcome {
  const activity = new Activity();
  const commits = new Map<string, Commit>();
  let number = 0;
  for (const { call, result, failed } of calls) {
    number += 1;
    const id = String(number);
    const { name, input } = renderedCall(call.trimEnd());
    activity.call({ id, name, input: withLists(fieldsOf(input)) });
    activity.result({ id, text: result, error: failed });
    if (failed || !COMMITS.test(call)) continue;
    const made = [...result.matchAll(COMMITTED)];
    if (made.length > 0 && AMENDS.test(call)) commits.delete([...commits.keys()].at(-1) ?? '');
    for (const [, hash = '', subject = ''] of made) commits.set(hash, { hash, subject });
  }
  const open = activity.todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
  return { commits: [...commits.values()], open: open.map(({ text }) => text) };
}

const ITEM = /^(todos|plan)\.(\d+)\.(\w+)$/;

/** A list of items is filed as fields: `todos.0.content: …`. An index may be any number: it comes from a transcript. */
function withLists(fields: Fields): Fields {
  const lists: Record<string, Record<string, Record<string, unknown>>> = {};
  for (const [key, value] of Object.entries(fields)) {
    const [, list = '', index = '', field = ''] = ITEM.exec(key) ?? [];
    if (list === '') continue;
    lists[list] ??= {};
    lists[list][index] = { ...lists[list][index], [field]: value };
  }
  const whole = Object.entries(lists).map(([list, items]) => [list, Object.values(items)]);
  return { ...fields, ...Object.fromEntries(whole) };
}
