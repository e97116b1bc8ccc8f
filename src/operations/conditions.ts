/** Conditions for drawers, as a user states them. */
import * as z from 'zod/mini';
import { PRIORITIES } from '../core/importance.js';
import { type About, field, priority, room, text } from './fields.js';

/** Each as a field. @param more what is said about all of them */
export function conditions(more: Pick<About, 'address'> = {}) {
  const word = (description: string, about: Omit<About, 'description'> = {}) =>
    field(z.optional(text()), description, { ...more, ...about });
  return {
    wing: word('only in this wing', { agents: 'only this wing' }),
    room: room(more),
    since: word('from this day on: 2026-03-01, 3d, 2w, 6mo, "last friday"', {
      cli: '--since <when>',
      day: true,
      agents: 'not older: 2026-03-01, 3d, 2w; stored as a day',
    }),
    until: word('up to this day', {
      cli: '--until <when>',
      day: true,
      agents: 'not newer',
    }),
    source: word('only sources whose path matches, such as "docs/*.md"', {
      cli: '--source <glob>',
      tool: 'source_file',
      agents: 'only sources whose path matches, as docs/*.md',
    }),
    session: word('only this session', { cli: '--session <id>', tool: 'session_id' }),
    directory: word('only sessions and documents of this folder or below', {
      cli: '--directory <folder>',
      path: 'whole',
      tool: null,
    }),
    file: word('only this file, and sessions that read or changed it', {
      cli: '--file <path>',
      path: 'end',
      agents: 'only sessions that read or changed this file',
    }),
    type: word(
      'only this type: document, conversation, diary, drawer, checkpoint, summary, or a declared type',
      {
        cli: '--type <type>',
      },
    ),
    priority: priority(more),
  };
}

const word = z.optional(z.string());

/** They together, as they are stored. */
export const filter = z.strictObject({
  wing: word,
  room: word,
  since: word,
  until: word,
  source: word,
  session: word,
  directory: word,
  file: word,
  type: word,
  priority: z.optional(z.enum(PRIORITIES)),
});
