/** A session is saved in one call: its texts, then its diary entry. */
import { UserError } from '../../core/errors.js';
import { forgottenError } from '../../core/forgotten.js';
import { validRoom } from '../../core/room.js';
import { validateWing } from '../../core/wing.js';
import { diary, writtenFor } from '../diary.js';
import type { Context } from '../operation.js';
import { fileTexts } from './filing.js';
import type { Draft, Session } from './index.js';
import { similarTo } from './similar.js';

/** Files what is not filed already, nearly or exactly. All is checked before anything is filed. */
export async function save(
  context: Context,
  { items, diary: given, dedup_threshold, within }: Session,
  addedBy: string | undefined,
) {
  const { diaryWrite } = diary;
  const note = given && noteOf(given);
  if (items.length === 0 && note === undefined)
    throw new UserError('usage', 'there is neither an item nor a diary entry');
  for (const { wing, room } of items) [validateWing(wing), validRoom(room)];
  if (note !== undefined) await diaryWrite.check?.(note);
  const similar = await filedAlready(context, items, dedup_threshold, within);
  const fresh = items.flatMap((draft, item) => (similar[item] === undefined ? [{ draft, item }] : []));
  const drafts = fresh.map(({ draft }) => draft);
  const texts = drafts.length === 0 ? [] : await fileTexts(context, drafts, addedBy);
  const outcomes = fresh.map(({ item }, at) => ({ item, text: texts[at] }));
  const { message: error, code, hint } = forgottenError();
  const errors = outcomes.flatMap(({ item, text }) =>
    text === undefined ? [{ item, error, code, hint }] : [],
  );
  return {
    success: errors.length === 0,
    added: outcomes.flatMap(({ item, text }) => (text === undefined ? [] : [{ item, ...text }])),
    duplicates: similar.flatMap((match, item) => (match === undefined ? [] : [{ item, ...match }])),
    errors,
    ...(note && { diary: writtenFor(await diaryWrite.run(note, context)) }),
  };
}

/** Per text the filed one that is at least this similar. */
async function filedAlready(
  context: Context,
  texts: readonly Draft[],
  threshold: number,
  within: string | undefined,
) {
  if (threshold >= 1) return [];
  const contents = texts.map(({ content }) => content);
  try {
    return (await similarTo(context, contents, threshold, within)).map(([first]) => first);
  } catch (error) {
    // The palace does not exist yet.
    if (error instanceof UserError && error.code === 'not-found') return [];
    throw error;
  }
}

function noteOf({ agent_name: agent, ...words }: NonNullable<Session['diary']>) {
  return { ...words, agent, redact: true };
}
