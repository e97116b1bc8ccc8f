import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';

/** Characters that a terminal acts on: C0 except tab and line break, DEL, C1, and bidirectional controls. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const ATTACKS = [
  '\u001b[31mred',
  '\u001b]0;owned\u0007',
  '\u001b]8;;http://h.invalid\u001b\\link',
  '\u009b2J',
  '\u009d0;owned\u009c',
  '\u0008\u0008\u0008',
  '\r overwritten',
  '\u202egnp.exe',
  '\u2066hidden\u2069',
  '\u0000nul',
  '\u007f',
  '\u001bP+q\u001b\\',
];

/** A word between each two of them, so that search finds a text that contains them all. */
const hostile = (word: string, some: readonly string[] = ATTACKS) =>
  some.map((attack) => `${word} ${attack}`).join(' ');

describe('control characters', () => {
  it('in texts, titles, file names and folder names never reach a terminal', async ({ env }) => {
    const inNames = ATTACKS.filter((attack) => !/[\0/]/.test(attack));
    const shop = env.project(`shop \u001b[31m`, {
      'mempalace.yaml': `wing: wing_shop\nrooms:\n  - name: "deep \\e[7m \\u202e"\n    keywords: [docs]\n`,
      [`docs/${hostile('marmot', inNames).slice(0, 120)}.md`]: `# ${hostile('marmot').replaceAll('\r', '')}\n\n${hostile('badger')}\n`,
      [`other/${'\u009b'}31m \u001b[1m.md`]: `# Other\n\n${hostile('badger')}\n`,
    });
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({
      id: 'ses_0000000001ctrl',
      slug: `\u001b[5m${'x'.repeat(5)}`,
      title: hostile('marmot'),
      directory: `/home/me/\u001b[31m\u202e`,
      messages: [
        ...exchange(hostile('marmot'), hostile('badger')),
        {
          role: 'assistant',
          parts: [
            {
              type: 'tool',
              tool: `\u001b[31mbash`,
              callID: 'c1',
              state: {
                status: 'completed',
                input: { command: hostile('badger') },
                output: hostile('badger'),
              },
            },
          ],
        },
        ...exchange('Once more?', 'The marmot again.'),
      ],
    });
    history.addSession({ title: hostile('short'), messages: [{ role: 'user', parts: ['hm'] }] });
    history.close();
    const commands: [string, string[]][] = [
      ['mempalace-docs', [shop, '--dry-run', '--verbose']],
      ['mempalace-docs', [shop, '--verbose']],
      ['mempalace-session', ['--dry-run', '--verbose']],
      ['mempalace-session', ['--verbose']],
      ['mempalace', ['search', 'marmot']],
      ['mempalace', ['search', 'badger marmot', '--verbose']],
      ['mempalace', ['show', 'ses_0000000001ctrl']],
      ['mempalace', ['timeline', 'ses_0000000001ctrl']],
      ['mempalace', ['list', 'sources']],
      ['mempalace', ['list', 'wings']],
      ['mempalace', ['list', 'rooms']],
      ['mempalace', ['list', 'runs']],
      ['mempalace', ['status', '--verbose']],
      ['mempalace', ['wake-up', '--everywhere']],
      ['mempalace', ['projects']],
      ['mempalace', ['scrub', '--all', '--dry-run', '--verbose']],
      ['mempalace', ['forget', '--session', 'ses_0000000001ctrl', '--dry-run']],
      ['mempalace', ['forget', '--wing', 'wing_shop', '--dry-run', '--verbose']],
    ];
    let said = '';
    for (const [program, args] of commands) {
      const { stdout, stderr, exitCode } = await env.run(program, args);
      expect([0, 1, 2, 3], `${program} ${args.join(' ')}: ${stderr}`).toContain(exitCode);
      for (const output of [stdout, stderr]) {
        const at = output.search(CONTROL);
        expect(
          at < 0 ? '' : JSON.stringify(output.slice(Math.max(0, at - 60), at + 20)),
          args.join(' '),
        ).toBe('');
      }
      said += stdout + stderr;
    }
    // They were there to be shown.
    expect(said.match(/marmot/g)?.length).toBeGreaterThan(20);
    expect(said).toContain('\u{fffd}');
  }, 240_000);

  it('are removed from every text by terminal.ts', async () => {
    const { line, plain } = await import('../../src/terminal/terminal.js');
    const soup = fc
      .array(fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: 'binary', maxLength: 8 })))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(soup, (text) => {
        expect(plain(text)).not.toMatch(CONTROL);
        expect(line(text)).not.toMatch(CONTROL);
        expect(line(text)).not.toMatch(/[\n\t]/);
      }),
      { numRuns: 500 },
    );
  });
});
