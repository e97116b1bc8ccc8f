import { z } from 'zod';
import { UserError } from '../../../core/errors.js';
import type { Host } from '../../../mcp/tool.js';
import { inPackage } from '../../../platform/in-package.js';
import { EXIT } from '../../app/exit.js';
import { knownError } from '../../app/failure.js';
import { filingModel, modelFor, warnIfRemote } from '../../app/palace-model.js';
import { underRunLock } from '../../app/run-lock.js';
import { besideRun } from '../../app/run-versions.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { writingOnce } from '../../app/single-write.js';

/** As the run is called in the palace's record. */
const COMMAND = 'mempalace-mcp';
/** A program that was asked to end gets so long for it. */
const LAST_MS = 5_000;

const complaint = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

/** What the server's tools need of the program around them. */
export function mcpHost(context: CommandContext): Host {
  const { config, env } = context;
  const folder = config.palace;
  return {
    folder,
    config,
    known: knownError,
    sanitiser: () => sanitiserFor(true, context),
    async embedder(held) {
      const { startEmbedder } = await import('../../../embedding/index.js');
      const model = modelFor(held);
      warnIfRemote(model, context);
      // Questions come one by one: more threads cost more than they gain.
      return startEmbedder({ modelId: model.id, dimension: model.dimension, env, threads: 1 });
    },
    write: (command, work) =>
      writingOnce(folder, context, { make: true }, (palace) =>
        work(palace, besideRun(`${COMMAND}: ${command}`, palace.model, Date.now())),
      ),
    async clearTraces(signal) {
      const { Palace } = await import('../../../store/index.js');
      try {
        return await underRunLock(
          folder,
          { command: COMMAND, waitMs: 0 },
          { ...context, signal },
          async () => {
            const palace = Palace.write(folder, await filingModel(folder, context));
            try {
              return palace.clearTraces();
            } finally {
              palace.close();
            }
          },
        );
      } catch (error) {
        if (error instanceof UserError && error.code === 'locked') return false;
        throw error;
      }
    },
    async program(name, args, signal) {
      // No operating system hands it on.
      if (args.some((argument) => argument.includes('\0')))
        throw new UserError('usage', 'an argument contains a null character');
      const { execa } = await import('execa');
      const program = inPackage(`bin/${name}`);
      const { exitCode, stdout, stderr } = await execa(
        process.execPath,
        // In front of everything that an agent said.
        [program, '--json', '--palace', folder, ...args],
        {
          env,
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
          cancelSignal: signal,
          forceKillAfterDelay: LAST_MS,
        },
      );
      signal.throwIfAborted();
      const document = parsedJson(stdout);
      // Nothing found is an answer, and so is what was done but for something that was held back.
      const fine = exitCode === EXIT.done || exitCode === EXIT.incomplete || exitCode === EXIT.nothingFound;
      if (fine && document !== undefined) return document;
      throw complaintIn(stderr) ?? new UserError('failed', `the program ended with ${exitCode ?? 1}`);
    },
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Codes that mean the same in an answer of the server. */
const KNOWN = ['locked', 'usage', 'not-found', 'config'] as const;

/** The error that a program printed under --json, behind its warnings. */
function complaintIn(stderr: string): UserError | undefined {
  for (const text of stderr.split('\n').reverse()) {
    const read = complaint.safeParse(parsedJson(text));
    if (!read.success) continue;
    const { code, message, hint } = read.data.error;
    return new UserError(KNOWN.find((known) => known === code) ?? 'failed', message, { hint });
  }
  return undefined;
}
