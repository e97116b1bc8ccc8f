import type { Ignore } from 'ignore';
import { PRIORITIES, type Priority, type PriorityOrigin } from '../../core/contract.js';
import type { PriorityRule } from './config.js';
import { newMatcher } from './ignore-rules.js';

const MARKDOWN = /\.(?:md|mdx|markdown|mdown|mkd)$/i;
const YAML_BLOCK = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m;
const TOML_BLOCK = /^\+\+\+[ \t]*\r?\n([\s\S]*?)^\+\+\+[ \t]*$/m;
/** A key of the outermost mapping, with a plain or quoted word. */
const FIELD = /^priority[ \t]*[:=][ \t]*(["']?)([a-z]+)\1[ \t]*(?:#.*)?\r?$/im;

/** A priority, and what gave it. */
export interface JudgedPriority {
  priority: Priority;
  from: PriorityOrigin;
}

/** Says how important a document is: its own front matter before the rules of its project. */
export class PriorityJudge {
  readonly #rules: { matcher: Ignore; priority: Priority }[];

  readonly #approved: boolean;

  /**
   * @param rules the last one that matches decides
   * @param approved whether the rules are the user's
   */
  constructor(rules: readonly PriorityRule[], approved: boolean) {
    this.#approved = approved;
    this.#rules = rules
      .map(({ match, priority }) => ({ matcher: newMatcher().add(match), priority }))
      .reverse();
  }

  /**
   * @param relativePath below the project's root, with `/`
   * @param head the first bytes of the document; front matter that is longer says nothing
   */
  priorityOf(relativePath: string, head: Uint8Array): JudgedPriority | undefined {
    const own = MARKDOWN.test(relativePath) ? frontMatterPriority(head) : undefined;
    const ruled = this.#rules.find(({ matcher }) => matcher.ignores(relativePath))?.priority;
    const priority = own ?? ruled;
    if (priority === undefined) return undefined;
    // A document that says the same as the user's rule does not weaken it.
    if (ruled === priority && this.#approved) return { priority, from: 'approved-rule' };
    return { priority, from: own === undefined ? 'rule' : 'front-matter' };
  }
}

/**
 * `priority: high|medium|low` of YAML or TOML front matter. Read for every document in every run, so that a
 * parser would be too much: only the plain form counts.
 */
function frontMatterPriority(head: Uint8Array): Priority | undefined {
  const text = beginningOf(head);
  if (!text.startsWith('---') && !text.startsWith('+++')) return undefined;
  const block = (text.startsWith('---') ? YAML_BLOCK : TOML_BLOCK).exec(text);
  if (block?.index !== 0) return undefined;
  // In TOML, what follows the first table is that table's.
  const outermost = (block[1] ?? '').split(/^\[/m, 1)[0] ?? '';
  const word = FIELD.exec(outermost)?.[2]?.toLowerCase();
  return PRIORITIES.find((priority) => priority === word);
}

/** Only marks tell UTF-16; in every other encoding the characters that matter here are single bytes. */
function beginningOf(head: Uint8Array): string {
  const marked = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : undefined;
  const encoding = head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : (marked ?? 'utf-8');
  return new TextDecoder(encoding).decode(head);
}
