import { describe, expect, it } from 'vitest';
import { NOTICE } from '../../../src/core/outside.js';
import type { TurnMark } from '../../../src/core/turns.js';
import { cleanFiled } from '../../../src/maintenance/scrub/index.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { PASSWORD } from '../../sanitiser/secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const REMINDER = '<system-reminder>\nBe brief.\n</system-reminder>';
const TALK = [
  '[session: Fix login | /p/x | 2026-03-04]',
  `User:\nWhy?\n${REMINDER}`,
  `Assistant:\nYou wrote ${REMINDER}`,
  `[tool bash] echo "${REMINDER}"`,
  `[result]\ntext ${REMINDER}`,
  `User:\n${REMINDER}`,
  `User:\n<private>a</private> and password: ${PASSWORD}`,
  'Assistant:\nSo.',
]
  .map((section) => `${section}\n\n`)
  .join('');

describe('a filed conversation', () => {
  it('is sanitised turn by turn', async () => {
    const { text, redacted, removed, placeAfter } = await cleanFiled(
      'conversation',
      TALK,
      sanitiser,
      undefined,
    );
    expect(redacted).toEqual({ injected: 3, private: 1, password: 1 });
    expect(text).toBe(
      [
        '[session: Fix login | /p/x | 2026-03-04]\n\n',
        'User:\nWhy?\n\n\n',
        `Assistant:\nYou wrote ${REMINDER}\n\n`,
        `[tool bash] echo "${REMINDER}"\n\n`,
        '[result]\ntext \n\n',
        'User:\n[PRIVATE] and password: [REDACTED:password]\n\n',
        'Assistant:\nSo.\n\n',
      ].join(''),
    );
    expect(removed.get('<system-reminder> Be brief. </system-reminder>')).toBe('');
    const at = TALK.indexOf('So.');
    expect(text.slice(placeAfter(at))).toBe('So.\n\n');
  });

  it('has clean questions in the context of drawers', async () => {
    const { questions } = await cleanFiled('conversation', TALK, sanitiser, undefined);
    const reminder = '<system-reminder> Be brief. </system-reminder>';
    expect(questions.get(`Why? ${reminder}`)).toBe('Why?');
    // This turn is removed completely.
    expect(questions.get(reminder)).toBe('');
  });

  it('keeps text that only looks like a turn of the user', async () => {
    const said = `Assistant:\nHe wrote:\n\nUser:\n${REMINDER}\n\n`;
    const turns: TurnMark[] = [{ role: 'assistant', start: 0 }];
    expect(await cleanFiled('conversation', said, sanitiser, turns)).toMatchObject({ text: said });
    expect((await cleanFiled('conversation', said, sanitiser, undefined)).text).not.toBe(said);
  });

  it('of documents, everything is verbatim except secrets and private blocks', async () => {
    const text = `User:\n${REMINDER}\n\npassword: ${PASSWORD}\n`;
    expect(await cleanFiled('document', text, sanitiser, undefined)).toMatchObject({
      text: `User:\n${REMINDER}\n\npassword: [REDACTED:password]\n`,
      redacted: { password: 1 },
    });
  });
});

describe('echoes of the palace in a filed conversation', () => {
  const sections = (...texts: string[]) => texts.map((text) => `${text}\n\n`).join('');
  const HIT = '{"hits":[{"drawer_id":"drawer_0123456789ab","text":"Port 8443"}]}';
  const LINE = '[mempalace: 1 drawer: drawer_0123456789ab]';
  const NOTED = `memory (${NOTICE})\n\n│ - drawer_0123456789ab Port 8443`;

  it('become one line; calls, failures and the rest stay', async () => {
    const text = sections(
      `User:\nWhich port?\n${NOTED}`,
      '[tool mcp__mempalace__mempalace_search] port',
      `[result]\n${HIT}`,
      '[tool bash]\nmempalace search port\ndescription: look',
      `[result]\n${NOTED}`,
      '[tool mempalace_search]',
      '[result: error]\nquery: missing',
      '[tool bash] cat hits.json',
      `[result]\n${HIT}`,
      'Assistant:\n8443.',
    );
    const traced = await cleanFiled('conversation', text, sanitiser, undefined);
    expect(traced.text).toBe(
      sections(
        `User:\nWhich port?\n${LINE}`,
        '[tool mcp__mempalace__mempalace_search] port',
        `[result]\n${LINE}`,
        '[tool bash]\nmempalace search port\ndescription: look',
        `[result]\n${LINE}`,
        '[tool mempalace_search]',
        '[result: error]\nquery: missing',
        '[tool bash] cat hits.json',
        `[result]\n${HIT}`,
        'Assistant:\n8443.',
      ),
    );
    expect(traced.redacted).toEqual({ echo: 3 });
    expect(await cleanFiled('conversation', traced.text, sanitiser, undefined)).toMatchObject({
      redacted: {},
    });
    expect(traced.text.slice(traced.placeAfter(text.indexOf('8443.\n\n')))).toBe('8443.\n\n');
  });
});
