import type { Ignore } from 'ignore';
import type { PriorityOrigin } from '../../core/contract.js';
import { frontMatterField, isMarkdown } from '../../core/front-matter.js';
import { PRIORITIES, type Priority } from '../../core/importance.js';
import type { ProjectConfig } from './config.js';
import { newMatcher } from './ignore-rules.js';

export interface JudgedPriority {
  priority: Priority;
  from: PriorityOrigin;
}

/** Judges the priority of a document: its front matter counts before its manifest, and that before the rules of its project. */
export class PriorityJudge {
  readonly #rules: { matcher: Ignore; priority: Priority }[];

  constructor(
    rules: Readonly<ProjectConfig['priorities']>,
    private readonly approved: boolean,
  ) {
    this.#rules = rules
      .map(({ match, priority }) => ({ matcher: newMatcher().add(match), priority }))
      .reverse();
  }

  /**
   * @param head the first bytes of the document; longer front matter does not count
   * @param watched what the project's manifest says
   */
  priorityOf(relativePath: string, head: Uint8Array, watched?: Priority): JudgedPriority | undefined {
    const own = isMarkdown(relativePath) ? frontMatterPriority(head) : undefined;
    const ruled = this.#rules.find(({ matcher }) => matcher.ignores(relativePath))?.priority;
    const priority = own ?? watched ?? ruled;
    if (priority === undefined) return undefined;
    // An approved rule keeps its weight when the document states the same priority.
    if (ruled === priority && this.approved) return { priority, from: 'approved-rule' };
    if (own !== undefined) return { priority, from: 'front-matter' };
    return { priority, from: watched === undefined ? 'rule' : 'manifest' };
  }
}

function frontMatterPriority(head: Uint8Array): Priority | undefined {
  const word = frontMatterField(beginningOf(head), 'priority')?.toLowerCase();
  return PRIORITIES.find((priority) => priority === word);
}

/** Recognizes UTF-16 by its byte order mark. In other encodings the relevant characters are single bytes. */
function beginningOf(head: Uint8Array): string {
  const marked = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : undefined;
  const encoding = head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : (marked ?? 'utf-8');
  return new TextDecoder(encoding).decode(head);
}
