import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withBroker } from '../support/broker.js';
import { freePort, untilListening } from '../support/ports.js';
import { filledMachine } from '../support/real-palace.js';
import { served } from '../support/served.js';
import { has, run } from '../support/tools.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/remote.md'), 'utf8');
const NAME = 'memory.example.org';

const machine = filledMachine();

/** The first block of a language on the page that contains a text. */
function block(language: string, containing: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  const found = blocks.map(([, text = '']) => text).find((text) => text.includes(containing));
  if (found === undefined) throw new Error(`docs/remote.md has no such block: ${containing}`);
  return found;
}

/** nginx with the server of the page, in a folder of the test. @returns its port, and its access log */
async function nginx(folder: string, upstream: string): Promise<{ port: number; log: () => string }> {
  mkdirSync(folder);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${NAME}`];
  expect(run('openssl', [...self, '-keyout', key, '-out', certificate]).status).toBe(0);
  const port = await freePort();
  const server = block('nginx', 'proxy_pass')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:7425', upstream)
    .replace(/(ssl_certificate ).*;/, `$1${certificate};`)
    .replace(/(ssl_certificate_key ).*;/, `$1${key};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const file = join(folder, 'nginx.conf');
  const log = join(folder, 'access.log');
  const http = `http { access_log ${log}; ${temporary.join(' ')}\n${server}}`;
  writeFileSync(file, `pid ${join(folder, 'pid')}; events {}\n${http}\n`);
  const options = ['-p', folder, '-e', join(folder, 'error.log'), '-c', file];
  const check = run('nginx', [...options, '-t']);
  expect([check.status, check.stderr]).toEqual([0, expect.stringContaining('test is successful')]);
  const child = spawn('nginx', [...options, '-g', 'daemon off;'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGQUIT');
  });
  // `nginx -t` writes the file of the process id, too, so the file does not say that it listens.
  await untilListening(port);
  return { port, log: () => readFileSync(log, 'utf8') };
}

/** A call of `tools/list` through the proxy. */
function listed(port: number, token: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: NAME,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers };
    // The certificate of the test is its own.
    const call = request({ ...options, servername: NAME, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (piece: Buffer) => {
        body += piece.toString('utf8');
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  });
}

describe('docs/remote.md', () => {
  const canProxy = has('nginx') && has('openssl');

  it.skipIf(!canProxy)(
    'nginx as on the page adds TLS and logs no token (skipped without nginx and openssl)',
    async () => {
      const env = withBroker((await machine()).env);
      const { url } = await served(env, ['--allow-host', NAME]);
      const token = readFileSync(join(env.palace, 'serve-token'), 'utf8').trim();
      const { port, log } = await nginx(join(env.home, 'nginx'), new URL(url).host);
      expect(await listed(port, token)).toMatchObject({
        status: 200,
        body: expect.stringContaining('mempalace_search'),
      });
      expect(await listed(port, 'wrong')).toMatchObject({ status: 401 });
      expect(log()).toContain('POST /mcp');
      expect(log()).not.toContain(token);
    },
  );

  it('the drill restores a backup of a palace that is served, and finds its passages', async () => {
    const env = withBroker((await machine()).env);
    await served(env);
    const drill = block('sh', 'mempalace restore').replace('a passage that you know', 'how is money rounded');
    const steps = drill.trim().split('\n');
    const variables = { ...env.env, PATH: `${join(ROOT, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const printed = steps.map((step) => {
      const { status, stdout, stderr } = run('sh', ['-c', step], { env: variables, cwd: env.home });
      expect([step, status, stderr]).toEqual([step, 0, expect.any(String)]);
      return stdout;
    });
    expect(printed[3]).toContain('Money is rounded once, on the total.');
    expect(existsSync(join(env.home, 'drill'))).toBe(false);
  });
});
