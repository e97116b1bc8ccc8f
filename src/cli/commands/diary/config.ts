import { UserError } from '../../../core/errors.js';
import { validateWing } from '../../../core/wing.js';
import type { DiaryQuestion } from '../../../knowledge/diary/index.js';
import { parseCount } from '../../app/durations.js';
import { DIARY_ACTIONS, type DiaryFlags } from './actions.js';

/** What `mempalace diary` is to do. */
export type DiaryConfig =
  | { what: 'read'; question: DiaryQuestion }
  | {
      what: 'write';
      agent: string;
      topic: string | undefined;
      wing: string | undefined;
      /** Undefined: stdin holds it. */
      text: string | undefined;
    };

const LAST = 10;

/** @throws UserError `usage` */
export function diaryConfig(name: string, words: readonly string[], flags: DiaryFlags): DiaryConfig {
  const what = DIARY_ACTIONS.find((action) => action === name);
  const { agent, topic, last, offset } = flags;
  const wing = flags.wing === undefined ? undefined : validateWing(flags.wing);
  switch (what) {
    case 'read':
      if (words.length > 0) {
        throw new UserError('usage', 'diary read takes no text', {
          hint: 'mempalace search finds entries by their words',
        });
      }
      return {
        what,
        question: {
          agent,
          topic,
          wing,
          limit: last === undefined ? LAST : parseCount('--last', last, 1),
          offset: offset === undefined ? 0 : parseCount('--offset', offset, 0),
        },
      };
    case 'write': {
      if (last !== undefined || offset !== undefined)
        throw new UserError('usage', '--last and --offset are for diary read');
      if (agent === undefined) {
        throw new UserError('usage', 'diary write needs --agent', {
          hint: 'the name of the writer, such as --agent opencode',
        });
      }
      const text = words.join(' ');
      return { what, agent, topic, wing, text: text === '' || text === '-' ? undefined : text };
    }
    default:
      throw new UserError(
        'usage',
        `diary takes one of ${DIARY_ACTIONS.join(', ')}, not ${JSON.stringify(name)}`,
      );
  }
}
