import { describe, expect, it } from 'vitest';
import { transcriptIdentity } from '../../../src/miner/read/identity.js';
import { record, said, withFile } from './transcripts.js';

const identityOf = (lines: readonly string[] | string) => withFile(lines, transcriptIdentity);

describe('identity of a transcript', () => {
  it('of our session feeder', async () => {
    const first = record('user', [said('[session: Use a | or b | /p/x | 2026-03-04]')], {
      sessionId: 'ses_1',
      harness: 'opencode',
    });
    expect(await identityOf([first])).toEqual({
      harness: 'opencode',
      sessionId: 'ses_1',
      cwd: '/home/someone/project',
      title: 'Use a | or b',
      firstTimestamp: '2026-03-04T05:06:07.000Z',
    });
  });

  it('of a subagent of opencode, by the session id alone', async () => {
    const first = record('user', [said('[session: Explore | /p | 2026-03-04 | subagent of Main]')], {
      sessionId: 'ses_2',
    });
    expect(await identityOf([first])).toMatchObject({ harness: 'opencode', title: 'Explore' });
  });

  it('of Claude Code, whose first records say nothing', async () => {
    const lines = [
      JSON.stringify({ type: 'summary', summary: 'About login' }),
      'broken {',
      record('user', 'hello'),
    ];
    expect(await identityOf(lines)).toMatchObject({
      harness: 'claude-code',
      sessionId: 'session-1',
      title: 'About login',
    });
  });

  it("of a sub-agent's own file", async () => {
    const first = record('user', 'hello', { isSidechain: true, agentId: 'a1b2' });
    expect(await identityOf([first])).toMatchObject({ sessionId: 'session-1', agentId: 'a1b2' });
  });

  it('of something else', async () => {
    expect(await identityOf('not json\n')).toEqual({ harness: 'claude-code' });
    expect(await identityOf('')).toEqual({ harness: 'claude-code' });
  });

  it('from the beginning of the file alone', async () => {
    const large = record('user', 'x'.repeat(2 * 1024 * 1024));
    expect(await identityOf([record('user', 'hi', { sessionId: 'first' }), large])).toMatchObject({
      sessionId: 'first',
    });
    expect(await identityOf([large])).toEqual({ harness: 'claude-code' });
  });
});
