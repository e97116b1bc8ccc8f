import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { waiting } from '../../src/hooks/queue.js';
import { Palace } from '../../src/store/index.js';
import { brokerFile, killBroker, withBroker } from '../support/broker.js';
import { canContain, container } from '../support/container.js';
import { toldBy } from '../support/hook-starts.js';
import { connected } from '../support/mcp-client.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';
import { canServeSsh, reachable } from '../support/sshd.js';
import { writeTalk } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const machine = filledMachine();

/** The machine with the palace, whose broker runs. */
async function host(): Promise<TestEnv> {
  const env = withBroker((await machine()).env);
  await env.run('mempalace', ['broker', 'ensure']);
  return env;
}

/** A machine whose settings name the broker of another. */
function guestOf(env: TestEnv): TestEnv {
  const guest = new TestEnv();
  guest.env.MEMPALACE_BROKER = brokerFile(env).socket;
  return guest;
}

const isFiledIn = ({ palace }: TestEnv, text: string): boolean =>
  Palace.look(palace, ({ listing }) =>
    listing.drawers({}, { limit: 1_000, offset: 0 }).some((drawer) => drawer.text.includes(text)),
  );

const hasOwnPalace = ({ palace }: TestEnv): boolean => existsSync(join(palace, 'palace.sqlite3'));

const stop = (env: TestEnv, transcript: string, sessionId: string, hook = 'stop') =>
  toldBy(env, 'claude-code', { session_id: sessionId, transcript_path: transcript, cwd: '/code/shop' }, hook);

/** Until the background run of the hooks has filed everything. */
const flushed = (env: TestEnv) =>
  expect.poll(() => waiting(env.palace), { timeout: 60_000, interval: 200 }).toBe(0);

describe('a machine whose settings name a broker', () => {
  it('files documents there: new, changed, removed; unchanged ones are not sent again', async () => {
    const env = await host();
    const guest = guestOf(env);
    const folder = guest.project('ledger', {
      'a.md': '# A\n\nThe heron wades.\n',
      'b.md': '# B\n\nThe stork waits.\n',
    });
    const docs = (exitCode = 0) => guest.json('mempalace-docs', [folder], exitCode);
    expect(await docs()).toMatchObject({ new: 2, changed: 0, unchanged: 0, removed: 0, drawers_added: 2 });
    expect([isFiledIn(env, 'heron wades'), isFiledIn(env, 'stork waits')]).toEqual([true, true]);
    expect(await docs()).toMatchObject({ new: 0, changed: 0, unchanged: 2, removed: 0 });
    guest.edit(join(folder, 'a.md'), '# A\n\nThe heron flies, with password: swordfish-9941-kappa now.\n');
    rmSync(join(folder, 'b.md'));
    expect(await docs()).toMatchObject({ new: 0, changed: 1, unchanged: 0, removed: 1 });
    expect([isFiledIn(env, 'heron flies'), isFiledIn(env, 'stork'), isFiledIn(env, 'swordfish')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(readdirSync(join(env.palace, 'received'))).toEqual([]);
    expect(hasOwnPalace(guest)).toBe(false);
    const { feeders } = await env.json('mempalace', ['status']);
    expect(feeders).toContainEqual(expect.objectContaining({ command: 'mempalace-docs', last_exit_code: 0 }));
  });

  it('files a document there in each run that is too short, and dates what was touched', async () => {
    const env = await host();
    const guest = guestOf(env);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const folder = guest.project(
      'birds',
      Object.fromEntries(names.map((name) => [`${name}.md`, `# ${name}\n`])),
    );
    let runs = 0;
    for (let exit: number | undefined = 3; exit === 3 && runs < 10; runs += 1) {
      const outcome = await guest.run('mempalace-docs', [folder, '--max-duration', '1ms', '--json']);
      exit = outcome.exitCode;
      expect(JSON.parse(outcome.stdout).new).toBeGreaterThan(0);
    }
    const wing = ['list', 'sources', '--wing', 'wing_birds'];
    expect([runs > 2, (await env.json('mempalace', wing)).total]).toEqual([true, 6]);
    const day = Date.parse('2025-01-01T12:00:00') / 1000;
    utimesSync(join(folder, 'a.md'), day, day);
    expect(await guest.json('mempalace-docs', [folder])).toMatchObject({ changed: 0, embedded: 0 });
    const { sources } = await env.json('mempalace', wing);
    expect(sources).toContainEqual(expect.objectContaining({ title: 'a', date: '2025-01-01' }));
  });

  it('has projects of its own, also where the other machine has a folder of the same path', async () => {
    const env = await host();
    const folder = env.project('twin', { 'own.md': '# Own\n\nOf the host alone.\n' });
    await env.json('mempalace-docs', [folder]);
    const guest = guestOf(env);
    // The same folder, as a container sees another one under its path.
    rmSync(join(folder, 'own.md'));
    env.project('twin', { 'guest.md': '# Guest\n\nOf the guest alone.\n' });
    expect(await guest.json('mempalace-docs', [folder])).toMatchObject({ new: 1, removed: 0 });
    expect([isFiledIn(env, 'Of the host alone'), isFiledIn(env, 'Of the guest alone')]).toEqual([true, true]);
    rmSync(join(folder, 'guest.md'));
    env.project('twin', { 'own.md': '# Own\n\nOf the host alone.\n' });
    expect(await env.json('mempalace-docs', [folder])).toMatchObject({ unchanged: 1, removed: 0 });
    expect(isFiledIn(env, 'Of the guest alone')).toBe(true);
  });

  it('follows a project that it moved', async () => {
    const env = await host();
    const guest = guestOf(env);
    const files = { 'a.md': '# A\n\nThe otter dives.\n', 'b.md': '# B\n\nThe otter sleeps.\n' };
    await guest.json('mempalace-docs', [guest.project('before', files)]);
    rmSync(join(guest.home, 'before'), { recursive: true });
    const moved = await guest.json('mempalace-docs', [guest.project('after', files)]);
    expect(moved).toMatchObject({ new: 0, removed: 0, unchanged: 2 });
  });

  it('files sessions there: of opencode, of transcripts, and with mine', async () => {
    const env = await host();
    const guest = guestOf(env);
    guest.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(guest.home, '.local/share/opencode/opencode.db'));
    history.addSession({
      id: 'ses_0000000009guest',
      title: 'Guest',
      messages: [
        ...exchange('Where does the lynx sleep?', 'On the warm server.'),
        ...exchange('Why?', 'It hums.'),
      ],
    });
    history.close();
    expect(await guest.json('mempalace-session', [])).toMatchObject({ new: 1 });
    expect(await guest.json('mempalace-session', ['--since'])).toMatchObject({ new: 0 });
    writeTalk(guest, 'talk-7', 'Which colour has the lynx?', 'Grey, as the palace says.');
    const from = ['--from', 'claude-code', '--min-messages', '1'];
    expect(await guest.json('mempalace-session', from)).toMatchObject({ new: 1 });
    const talks = join(guest.home, '.claude/projects');
    expect(await guest.json('mempalace', ['mine', talks])).toMatchObject({ new: 0, unchanged: 1 });
    expect([isFiledIn(env, 'warm server'), isFiledIn(env, 'Grey, as')]).toEqual([true, true]);
    expect(hasOwnPalace(guest)).toBe(false);
  });

  it('its hooks tell what is known there, and file there', async () => {
    const env = await host();
    const guest = guestOf(env);
    const shop = join(env.home, 'shop');
    const started = { session_id: 'talk-8', cwd: shop, source: 'startup' };
    expect(await toldBy(guest, 'claude-code', started)).toContain('2 drawers from 2 sources');
    const transcript = writeTalk(guest, 'talk-8', 'Who feeds the ibis?', 'The night watch does.');
    await stop(guest, transcript, 'talk-8', 'session-end');
    await flushed(guest);
    expect(isFiledIn(env, 'night watch')).toBe(true);
    // Its last checkpoint is made there, too.
    const { checkpoints } = await guest.json('mempalace', ['checkpoint', 'list', '--session', 'talk-8']);
    expect(checkpoints).toHaveLength(1);
    expect(hasOwnPalace(guest)).toBe(false);
  });

  it('keeps noted sessions while the broker is out of reach, says how many, and delivers them later', async () => {
    const env = await host();
    const guest = guestOf(env);
    await env.run('mempalace', ['broker', 'stop']);
    killBroker(env);
    await stop(guest, writeTalk(guest, 'talk-1', 'First?', 'The first answer.'), 'talk-1');
    await stop(guest, writeTalk(guest, 'talk-2', 'Second?', 'The second answer.'), 'talk-2');
    await expect
      .poll(() => existsSync(join(guest.palace, 'hooks', 'runner')), { timeout: 60_000, interval: 200 })
      .toBe(false);
    expect(await toldBy(guest, 'claude-code', { session_id: 'x', cwd: '/', source: 'startup' })).toBe('');
    const flush = await guest.run('mempalace', ['hook', 'flush']);
    expect(flush).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be reached') });
    expect(waiting(guest.palace)).toBe(2);
    const status = await guest.run('mempalace', ['status']);
    expect([status.exitCode, status.stderr]).toEqual([1, expect.stringContaining('2 sessions wait')]);
    const doctor = await guest.run('mempalace', ['doctor']);
    expect(doctor.stdout).toContain('2 sessions wait');
    const docs = await guest.run('mempalace-docs', [guest.project('p', { 'a.md': '# A\n' })]);
    expect(docs).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be reached') });
    expect(hasOwnPalace(guest)).toBe(false);
    await env.run('mempalace', ['broker', 'ensure']);
    expect(await guest.json('mempalace', ['hook', 'flush'])).toMatchObject({ filed: 2, left: 0 });
    expect([isFiledIn(env, 'first answer'), isFiledIn(env, 'second answer')]).toEqual([true, true]);
    expect((await guest.json('mempalace', ['status'])).hooks).toBeUndefined();
  });

  it('its checkpoints are made there: of the session in the folder, and of a named one', async () => {
    const env = await host();
    const guest = guestOf(env);
    // Neither was filed before.
    const transcript = writeTalk(guest, 'talk-5', 'Who counts the owls?', 'The harbour master does.');
    const note = { session_id: 'talk-5', transcript_path: transcript, cwd: process.cwd(), source: 'startup' };
    await toldBy(guest, 'claude-code', note);
    guest.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(guest.home, '.local/share/opencode/opencode.db'));
    const messages = exchange('Where does the owl sleep?', 'In the bell tower.');
    history.addSession({ id: 'ses_0000000005guest', title: 'Owls', messages });
    history.close();
    const made = (...session: string[]) =>
      guest.json('mempalace', [
        'checkpoint',
        '--note',
        'The tax: password: swordfish-9941-kappa.',
        ...session,
      ]);
    const [talk, owls] = ['claude-code:talk-5', 'opencode:ses_0000000005guest'];
    expect(await made()).toMatchObject({ session: talk });
    expect(await made('--session', 'talk-5')).toMatchObject({ session: talk });
    expect(await made('--session', talk)).toMatchObject({ session: talk });
    expect(await made('--session', owls)).toMatchObject({ session: owls });
    for (const [session, count] of [
      [talk, 3],
      [owls, 1],
    ] as const) {
      const { checkpoints } = await env.json('mempalace', ['checkpoint', 'list', '--session', session]);
      expect(checkpoints).toHaveLength(count);
      const { stdout } = await guest.run('mempalace', ['checkpoint', 'show', session]);
      expect(stdout).toContain('The tax');
    }
    expect([
      isFiledIn(env, 'harbour master'),
      isFiledIn(env, 'bell tower'),
      isFiledIn(env, 'swordfish'),
    ]).toEqual([true, true, false]);
    for (const missing of ['codex:talk-5', 'talk-6', 'opencode:ses_0000000006guest'])
      expect(await guest.run('mempalace', ['checkpoint', '--session', missing])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`no session ${missing.replace('opencode:', '')}`),
      });
    expect(hasOwnPalace(guest)).toBe(false);
  });

  it('its agents mine folders of their own machine, there', async () => {
    const env = await host();
    const guest = guestOf(env);
    const agent = await connected(guest, ['--tools', 'all']);
    const source = guest.project('ledger', { 'a.md': '# A\n\nThe heron wades.\n' });
    expect(await agent.done('mine', { source })).toMatchObject({ success: true, new: 1 });
    expect(isFiledIn(env, 'heron wades')).toBe(true);
    expect((await agent.done('status')).palace).toBe(env.palace);
    expect(hasOwnPalace(guest)).toBe(false);
  });

  it.each([
    ['reembed'],
    ['repair'],
    ['backup', '/tmp/x'],
    ['export'],
    ['forget', '--source', 'x', '--yes'],
    ['verify'],
    ['scrub'],
    ['docs', '.', '--dry-run'],
    ['sessions', '--repair'],
  ])('refuses %s, and names the place', async (...args) => {
    const guest = new TestEnv();
    guest.env.MEMPALACE_BROKER = 'ssh://attic';
    const { exitCode, stderr } = await guest.run('mempalace', args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the palace is at ssh://attic')]);
    expect(stderr).toContain(`ssh attic mempalace ${args[0]}`);
  });
});

describe.skipIf(!canServeSsh)('ssh://host (needs root and openssh-server)', () => {
  it('reads, files, and tells sessions over SSH, and waits while it is out of reach', async () => {
    const env = withBroker((await machine()).env);
    const guest = new TestEnv();
    await reachable(guest, env, join(ROOT, 'bin'));
    guest.env.MEMPALACE_BROKER = 'ssh://host';
    expect((await guest.json('mempalace', ['status'])).palace).toBe('ssh://host');
    expect((await guest.run('mempalace', ['search', 'lamps'])).stdout).toContain('lamps');
    const folder = guest.project('ledger', { 'a.md': '# A\n\nThe heron wades.\n' });
    expect(await guest.json('mempalace-docs', [folder])).toMatchObject({ new: 1 });
    const cwd = join(env.home, 'shop');
    expect(await toldBy(guest, 'claude-code', { session_id: 'talk-8', cwd })).toContain('2 drawers');
    await stop(guest, writeTalk(guest, 'talk-8', 'Who feeds the ibis?', 'The night watch does.'), 'talk-8');
    await flushed(guest);
    expect([isFiledIn(env, 'heron wades'), isFiledIn(env, 'night watch')]).toEqual([true, true]);
    guest.env.MEMPALACE_BROKER = 'ssh://nowhere.invalid';
    const { exitCode, stderr } = await guest.run('mempalace-docs', [folder]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('ssh://nowhere.invalid cannot be reached: ssh'),
    ]);
    expect(hasOwnPalace(guest)).toBe(false);
  });
});

describe.skipIf(!canContain)('a container (needs root and unshare)', () => {
  it('that sees only the socket of the host: wake-up, hooks and feeders use the palace of the host', async () => {
    const env = await host();
    const box = await container('box');
    const guest = guestOf(env);
    const { socket } = brokerFile(env);
    const run = (...command: string[]) => {
      const variables = Object.entries(guest.env).map(([name, value]) => `${name}=${value}`);
      return box.run('env', '-i', ...variables, process.execPath, ...command);
    };
    const folder = guest.project('ledger', { 'a.md': '# A\n\nThe heron wades.\n' });
    const talk = writeTalk(guest, 'talk-9', 'Who feeds the ibis?', 'The night watch does.');
    // It sees neither the palace nor its folder.
    box.run('mount', '-t', 'tmpfs', 'none', env.palace);
    expect(existsSync(socket)).toBe(true);
    expect(JSON.parse(run(...guest.argv('mempalace-docs'), folder, '--json'))).toMatchObject({ new: 1 });
    const wake = run(...guest.argv('mempalace'), 'wake-up', '--folder', join(env.home, 'shop'));
    expect(wake).toContain('2 drawers from 2 sources');
    const hook = [...guest.argv('mempalace'), 'hook', 'run', '--hook', 'stop', '--harness', 'claude-code'];
    const [command = '', ...rest] = [...box.within, process.execPath, ...hook];
    await execa(command, rest, {
      env: guest.env,
      extendEnv: false,
      input: JSON.stringify({ session_id: 'talk-9', transcript_path: talk, cwd: '/code/shop' }),
    });
    await flushed(guest);
    expect([isFiledIn(env, 'heron wades'), isFiledIn(env, 'night watch')]).toEqual([true, true]);
    expect(hasOwnPalace(guest)).toBe(false);
  });
});
