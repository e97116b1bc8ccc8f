import { describe, expect, it } from 'vitest';
import { record, said, withFile } from '../../miner/read/transcripts.js';
import { identityOf, readTranscript } from '../../support/staged-transcripts.js';

const whose = (lines: readonly string[] | string) => withFile(lines, identityOf);
const titleOf = async (lines: readonly string[]) => (await withFile(lines, readTranscript)).head.title;

describe('identity of a transcript', () => {
  it('of our session feeder', async () => {
    const first = record('user', [said('[session: Use a | or b | /p/x | 2026-03-04]')], {
      sessionId: 'ses_1',
      harness: 'opencode',
    });
    expect(await whose([first])).toEqual({
      by: 'claude-code',
      harness: 'opencode',
      sessionId: 'ses_1',
      agentId: undefined,
      cwd: '/home/someone/project',
      begun: '2026-03-04T05:06:07.000Z',
    });
    expect(await titleOf([first])).toBe('Use a | or b');
  });

  it('of a subagent of opencode, by the session id alone', async () => {
    const first = record('user', [said('[session: Explore | /p | 2026-03-04 | subagent of Main]')], {
      sessionId: 'ses_2',
    });
    expect(await whose([first])).toMatchObject({ harness: 'opencode' });
    expect(await titleOf([first])).toBe('Explore');
  });

  it('of Claude Code, if the first records have no identity', async () => {
    const lines = [
      JSON.stringify({ type: 'summary', summary: 'About login' }),
      'broken {',
      record('user', 'hello'),
    ];
    expect(await whose(lines)).toMatchObject({ by: 'claude-code', sessionId: 'session-1' });
    expect(await titleOf(lines)).toBe('About login');
  });

  it("of a sub-agent's own file", async () => {
    const first = record('user', 'hello', { isSidechain: true, agentId: 'a1b2' });
    expect(await whose([first])).toMatchObject({ sessionId: 'session-1', agentId: 'a1b2' });
  });

  it('of another file', async () => {
    expect(await whose('not json\n')).toBeUndefined();
    expect(await whose('')).toBeUndefined();
    expect(await whose('{"type":"event","level":"info"}\n')).toBeUndefined();
    expect(await whose('{"type":"user","message":"hello"}\n')).toBeUndefined();
  });

  it('from the beginning of the file alone', async () => {
    const large = record('user', 'x'.repeat(2 * 1024 * 1024));
    expect(await whose([record('user', 'hi', { sessionId: 'first' }), large])).toMatchObject({
      sessionId: 'first',
    });
    expect(await whose([large])).toMatchObject({ sessionId: 'session-1' });
  });
});
