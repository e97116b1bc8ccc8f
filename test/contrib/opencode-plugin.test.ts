import { chmodSync, copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { TestEnv } from '../support/test-env.js';

const PLUGIN = fileURLToPath(new URL('../../contrib/opencode/mempalace.js', import.meta.url));

/** Calls the plugin as opencode does, in its own process, with a `mempalace` that records its calls. */
async function called(
  script: string,
  answer: string,
  env = new TestEnv(),
  place: (from: string, to: string) => void = copyFileSync,
) {
  const bin = env.project('bin', {
    mempalace: `#!/bin/sh\nprintf '%s ' "$@" >> "$HOME/calls"\ncat >> "$HOME/calls"\necho >> "$HOME/calls"\n${answer}\n`,
  });
  chmodSync(join(bin, 'mempalace'), 0o755);
  writeFileSync(join(env.home, 'calls'), '');
  const placed = join(env.home, 'mempalace.mjs');
  place(PLUGIN, placed);
  const program = `
    const { Mempalace } = await import(${JSON.stringify(pathToFileURL(placed).href)});
    const plugin = await Mempalace({ directory: '/code/shop' });
    ${script}`;
  const { stdout, exitCode } = await execa(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env.env, PATH: `${bin}:${env.env.PATH}` },
    extendEnv: false,
    reject: false,
  });
  return { stdout, exitCode, calls: readFileSync(join(env.home, 'calls'), 'utf8').trim().split('\n') };
}

const event = (type: string, properties: unknown) =>
  `await plugin.event({ event: ${JSON.stringify({ type, properties })} });`;

describe('contrib/opencode/mempalace.js', () => {
  it('records a session that becomes idle or is compacted, then asks what the compacted one was told, and records no other event', async () => {
    const { calls, exitCode } = await called(
      event('session.idle', { sessionID: 'ses_1' }) +
        event('session.compacted', { sessionID: 'ses_1' }) +
        event('session.updated', { info: { id: 'ses_1' } }) +
        event('session.idle', {}),
      'echo "{}"',
    );
    expect(exitCode).toBe(0);
    const input = '{"session_id":"ses_1","cwd":"/code/shop"}';
    expect(calls).toEqual([
      `hook run --hook stop --harness opencode ${input}`,
      `hook run --hook precompact --harness opencode ${input}`,
      'hook run --hook session-start --harness opencode {"session_id":"ses_1","cwd":"/code/shop","source":"compact"}',
    ]);
  });

  it('runs wake-up once per session, and adds its text to every message', async () => {
    const { calls, stdout } = await called(
      `const outputs = [];
       for (const sessionID of ['ses_1', 'ses_1', undefined]) {
         const output = { system: ['own'] };
         await plugin['experimental.chat.system.transform']({ sessionID }, output);
         outputs.push(output.system);
       }
       console.log(JSON.stringify(outputs));`,
      `echo '{"context":"what is known"}'`,
    );
    expect(JSON.parse(stdout)).toEqual([['own', 'what is known'], ['own', 'what is known'], ['own']]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['fails', 'exit 1'],
    ['talks nonsense', 'echo nonsense'],
  ])('does not stop opencode if mempalace %s', async (_, answer) => {
    const { exitCode, stdout } = await called(
      `${event('session.idle', { sessionID: 'ses_1' })}
       const output = { system: [] };
       await plugin['experimental.chat.system.transform']({ sessionID: 'ses_1' }, output);
       console.log(JSON.stringify(output.system));`,
      answer,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '[]' });
  });

  it('calls the program of its own checkout where it is linked, as mempalace setup does', async () => {
    const idle = event('session.idle', { sessionID: 'ses_1' });
    const { calls, exitCode } = await called(idle, 'echo "{}"', new TestEnv(), symlinkSync);
    expect({ calls, exitCode }).toEqual({ calls: [''], exitCode: 0 });
  });

  it('does not stop opencode without mempalace', async () => {
    const script = `process.env.MEMPALACE_COMMAND = '/nowhere/mempalace';${event('session.idle', { sessionID: 'ses_1' })}`;
    expect(await called(script, '')).toMatchObject({ exitCode: 0, calls: [''] });
  });
});
