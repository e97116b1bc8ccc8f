import { UserError } from '../../core/errors.js';
import { validateWing } from '../../core/wing.js';

const LONGEST_AGENT = 64;
const LONGEST_TOPIC = 128;
const TITLE = 'diary: ';
const DEFAULT_TOPIC = 'general';

export const DIARY_ROOM = 'diary';

/**
 * The name of an agent in its diary's keys: lower case, `_` for characters except letters, digits, `_`, `.` and `-`.
 *
 * @throws UserError `usage`
 */
export function agentOf(name: string): string {
  const agent = name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_');
  if (/[\p{L}\p{N}]/u.test(agent) && agent.length <= LONGEST_AGENT) return agent;
  throw new UserError('usage', `not the name of an agent: ${JSON.stringify(name)}`, {
    hint: `1 to ${LONGEST_AGENT} letters and digits, such as opencode`,
  });
}

/** The wing of an agent's diary; default `wing_<agent>`. @throws UserError `usage` */
export function diaryWing(agent: string, wing: string | undefined): string {
  return validateWing(wing ?? `wing_${agent.replaceAll(/\.{2,}/g, '.')}`);
}

/** @throws UserError `usage` */
export function topicOf(text: string | undefined): string {
  const topic = (text ?? '').normalize('NFC').replace(/\s+/g, ' ').trim();
  if (topic.length <= LONGEST_TOPIC && !/\p{Cc}/u.test(topic)) return topic || DEFAULT_TOPIC;
  throw new UserError('usage', `a topic is at most ${LONGEST_TOPIC} characters`);
}

export function titleOfTopic(topic: string): string {
  return TITLE + topic;
}

export function topicOfTitle(title: string): string {
  return title.startsWith(TITLE) ? title.slice(TITLE.length) : title;
}
