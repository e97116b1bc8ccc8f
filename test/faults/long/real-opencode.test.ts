import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPENCODE_BIN, Opencode } from '../../support/real-opencode.js';
import { scriptedModel } from '../../support/scripted-model.js';
import { problemsOf } from '../../support/soundness.js';
import { TestEnv } from '../../support/test-env.js';

const TALKS = 3;
const TURNS = 4;

const Listed = z.array(z.object({ id: z.string() }));
describe.skipIf(OPENCODE_BIN === '')('real opencode (needs OPENCODE_BIN)', () => {
  it('is read while it writes: at the end every text of its own exports is filed once', async () => {
    const env = new TestEnv();
    const model = await scriptedModel((question) =>
      `The answer to ${question.slice(0, 60)} is a wombat. `.repeat(30),
    );
    const opencode = new Opencode(env, model);
    let talking = true;
    try {
      const talk = async (n: number) => {
        for (let turn = 0; turn < TURNS; turn += 1) {
          const more = turn === 0 ? ['--title', `talk ${n}`] : ['--session', await sessionOf(n)];
          await opencode.run(['run', '--format', 'json', ...more, `Question ${turn} of talk ${n}`]);
        }
      };
      const sessionOf = async (n: number): Promise<string> => {
        const rows = z
          .array(z.object({ id: z.string(), title: z.string() }))
          .parse(JSON.parse(await opencode.run(['session', 'list', '--format', 'json'])));
        return rows.find(({ title }) => title === `talk ${n}`)?.id ?? '';
      };
      const feeding = (async () => {
        const codes: (number | undefined)[] = [];
        while (talking) {
          const { exitCode, stderr } = await env.spawn('mempalace-session', ['--min-messages', '1']);
          expect(stderr).not.toMatch(/SQLITE_BUSY|this is a bug/);
          codes.push(exitCode);
        }
        return codes;
      })();
      const talks = async () => {
        // Several instances that start at once on an empty machine disturb each other's first tables, even without a reader.
        await opencode.run(['session', 'list', '--format', 'json']);
        await Promise.all(Array.from({ length: TALKS }, (_, n) => talk(n)));
      };
      await talks().finally(() => {
        talking = false;
      });
      const codes = await feeding;
      // 1: the first runs start before there is a database.
      expect(codes.filter((code) => code !== 0 && code !== 1 && code !== 3)).toEqual([]);
      expect(codes).toContain(0);

      await env.json('mempalace-session', ['--min-messages', '1']);
      const again = await env.json('mempalace-session', ['--min-messages', '1']);
      expect(again).toMatchObject({ new: 0, changed: 0, drawers_added: 0 });
      expect(problemsOf(env.palace)).toEqual([]);
      const ids = Listed.parse(JSON.parse(await opencode.run(['session', 'list', '--format', 'json'])));
      expect(ids).toHaveLength(TALKS);
      for (const { id } of ids) {
        const { messages } = await opencode.export(id);
        const { stdout } = await env.spawn('mempalace', ['show', id, '--raw']);
        const texts = messages.flatMap(({ parts }) =>
          parts.flatMap(({ type, text = '', synthetic }) =>
            type === 'text' && synthetic !== true && text.trim() !== '' ? [text] : [],
          ),
        );
        expect(texts.length).toBeGreaterThanOrEqual(TURNS * 2);
        for (const text of texts) expect(stdout).toContain(text.trim());
      }
    } finally {
      talking = false;
      model.close();
    }
  });
});
