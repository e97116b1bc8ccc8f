import { z } from 'zod';
import { documentOf } from '../../../adapters/rest.js';
import { UserError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json.js';
import { startEmbedder } from '../../../embedding/index.js';
import type { Host } from '../../../mcp/tool.js';
import { forgetting } from '../../../operations/forgetting.js';
import { inPackage } from '../../../platform/in-package.js';
import type { ServiceCall } from '../../../service/contract/index.js';
import { type Filed, type Filing, filed } from '../../../service/contract/receiving.js';
import type { Writer } from '../../../service/palace/resources.js';
import { EXIT } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import { modelFor, openEmbedder } from '../../app/palace-model.js';
import { putAsked } from '../../app/receiving.js';
import type { CommandContext } from '../../app/runner.js';
import { writer } from '../../app/writer.js';

/** Milliseconds that a cancelled program has to end. */
const LAST_MS = 5_000;

/** As `Terminal.progress` sends it. */
const reported = z.object({ step: z.string(), done: z.number(), total: z.number(), note: z.string() });

const errorDocument = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

export function mcpHost(context: CommandContext): Host {
  const { config, env } = context;
  const folder = config.palace;
  const host: Host = {
    folder,
    config,
    known: knownError,
    ...writer(context, true),
    forget: (asked, call) => forgetBeside(host, asked, call),
    fileReceived: (upload, asked, call) => receiveBeside(host, upload, asked, call),
    // Queries arrive one at a time, so more threads do not help.
    embedder: async (stored) =>
      openEmbedder(modelFor(stored), context, (options) =>
        startEmbedder({ ...options, threads: 1, batch: 'small' }),
      ),
    async program(name, args, signal, onProgress) {
      // Operating systems do not allow it in arguments.
      if (args.some((argument) => argument.includes('\0')))
        throw new UserError('usage', 'an argument contains a null character');
      const { execa } = await import('execa');
      const program = inPackage(`bin/${name}`);
      const running = execa(
        process.execPath,
        // Before any text of an agent.
        [program, '--json', '--palace', folder, ...args],
        {
          env,
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
          cancelSignal: signal,
          forceKillAfterDelay: LAST_MS,
          ipc: onProgress !== undefined,
          buffer: { ipc: false },
        },
      );
      if (onProgress !== undefined)
        running.on('message', (message) => {
          const read = reported.safeParse(message);
          if (read.success) onProgress(read.data);
        });
      const { exitCode, stdout, stderr } = await running;
      signal.throwIfAborted();
      const document = parseJson(stdout);
      // An empty or incomplete result is also an answer.
      const fine = exitCode === EXIT.done || exitCode === EXIT.incomplete || exitCode === EXIT.nothingFound;
      if (fine && document !== undefined) return document;
      throw errorIn(stderr) ?? new UserError('failed', `the program ended with ${exitCode ?? 1}`);
    },
  };
  return host;
}

/** Files what another machine sent in a program of its own: a large run takes minutes, in which this one must answer. */
async function receiveBeside(
  { program }: Pick<Host, 'program'>,
  upload: string,
  asked: Filing,
  { waitMs, signal }: ServiceCall,
): Promise<Filed> {
  putAsked(upload, asked);
  const wait = `${Math.max(0, Math.floor(waitMs / 1000))}s`;
  const answer = await program('mempalace', ['broker', 'receive', upload, '--wait', wait], signal);
  return filed.parse(answer);
}

/** Forgets in a program of its own: erasing from large backups takes minutes, in which this one must answer its other clients. */
async function forgetBeside(
  { program }: Pick<Host, 'program'>,
  ...[{ backups, preview = '', paths: _, ...what }, { waitMs, signal }]: Parameters<Writer['forget']>
) {
  const named = Object.entries(what).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const args = [
    ...['forget', ...named],
    ...['--preview', preview, '--yes', '--wait', `${Math.max(0, Math.floor(waitMs / 1000))}s`],
    ...(backups ? ['--backups'] : []),
  ];
  return documentOf(forgetting.forget).parse(await program('mempalace', args, signal));
}

const KNOWN = ['locked', 'usage', 'not-found', 'changed', 'config'] as const;

/** The error document that a program printed with --json, after its warnings. */
function errorIn(stderr: string): UserError | undefined {
  for (const text of stderr.split('\n').reverse()) {
    const read = errorDocument.safeParse(parseJson(text));
    if (!read.success) continue;
    const { code, message, hint } = read.data.error;
    return new UserError(KNOWN.find((known) => known === code) ?? 'failed', message, { hint });
  }
  return undefined;
}
