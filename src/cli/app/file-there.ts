import { createReadStream } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { AnnouncedSource, Batch, StagedSource } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { existsAs } from '../../core/marked-path.js';
import { markIn } from '../../core/project-id.js';
import { pathOfKey } from '../../core/source-key.js';
import type { MineResult } from '../../miner/mining.js';
import { ask } from '../../operations/operation.js';
import { receiving } from '../../operations/receiving.js';
import type { PalaceService, ServiceCall } from '../../service/contract/index.js';
import { Disconnected } from '../../service/rpc/client.js';
import { unreachable } from './broker.js';
import type { Destination, FilingOptions, RunIdentity, RunOutcome } from './filing.js';
import type { Known } from './known.js';
import { connectNamed, ownMark } from './named-broker.js';
import type { CommandContext } from './runner.js';

/** Sources that are announced at once. */
const PAGE = 200;
/** The answer of a broker of an earlier version. */
const UNKNOWN_METHOD = /^there is no method "/;
/** A part of a text, bytes. */
const PIECE = 512 * 1024;

/**
 * Runs `work` for the palace behind the broker that the user named. What it files is staged and sanitised here, and filed
 * there by one run; texts that are filed already are not sent.
 *
 * @throws UserError `unreachable`
 */
export async function fileThere(
  { command, scope, narrowed, waitMs }: RunIdentity & { waitMs: number },
  context: CommandContext,
  work: (destination: Destination) => Promise<RunOutcome>,
): Promise<number> {
  const service = context.there ?? (await connectNamed(context));
  const call: ServiceCall = { signal: context.signal, agent: command, through: command, waitMs };
  // Runs of other machines may have the same folders.
  const run = { command, scope: JSON.stringify({ ...JSON.parse(scope), machine: hostname() }), narrowed };
  try {
    const known = await knownThere(service, run, ownMark(context.config), call);
    const outcome = await work({
      known,
      file: (options) => new Sending(service, call, options, context).file(run),
    });
    return outcome.exitCode;
  } catch (error) {
    if (error instanceof Disconnected) throw unreachable(context.config, 'the connection ended');
    if (error instanceof UserError && UNKNOWN_METHOD.test(error.message))
      throw unreachable(context.config, 'its version does not take sources: update mempalace-toolkit there');
    throw error;
  } finally {
    if (context.there === undefined) await service.close();
  }
}

async function knownThere(
  service: PalaceService,
  { command, scope }: { command: string; scope: string },
  mark: string,
  call: ServiceCall,
): Promise<Known> {
  const run = { command, scope };
  const filed = await ask(service, receiving.filedSources, { pathsOf: [], run }, call);
  // Where git cannot tell whether a folder that has gone was moved, its documents can.
  const gone = filed.projects.filter(({ id, root }) => markIn(id) === mark && !existsAs(root));
  const { paths } =
    gone.length === 0
      ? filed
      : await ask(service, receiving.filedSources, { pathsOf: gone.map(({ id }) => id), run }, call);
  const conversations = new Map(filed.conversations.map((each) => [each.sourceKey, each]));
  return {
    projects: { all: () => filed.projects, pathsOf: (id) => paths[id] ?? [] },
    sources: {
      conversations: () => conversations,
      byKey(key) {
        const kept = conversations.get(key);
        return kept && { ...kept, id: 0 };
      },
      // Copies are known by what is on this machine.
      messagesOf: () => [],
      messagesBelow: () => [],
      ofKind: () => {
        throw new Error('origins are not asked of a palace elsewhere');
      },
    },
    forgetting: { names: () => new Set(filed.forgotten), keys: () => new Set(filed.forgottenKeys) },
    runs: { lastComplete: () => filed.lastCompleteMs },
  };
}

/** Batches on their way. */
class Sending {
  #upload: string | undefined;
  /** Keys of sources whose text is wanted and was not sent in time. */
  readonly #unsent: string[] = [];
  #sent = 0;
  readonly #mark: string;

  constructor(
    private readonly service: PalaceService,
    private readonly call: ServiceCall,
    private readonly options: FilingOptions,
    private readonly context: CommandContext,
  ) {
    this.#mark = ownMark(context.config);
  }

  async file(run: RunIdentity): Promise<MineResult> {
    const {
      batches,
      addedBy,
      force = false,
      allowRemovals = false,
      limit,
      maxMs,
      checkpoints,
    } = this.options;
    const began = performance.now();
    const bar = await this.context.terminal.progress('sending', 'bytes');
    const total = batches.flatMap(({ sources }) => sources).reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    try {
      for (const [number, batch] of batches.entries())
        for (const sources of pagesOf(batch.sources)) {
          const wanted = await this.#announce(number, batch, sources);
          for (const source of sources) {
            if (wanted.has(source.sourceKey)) await this.#send(source);
            done += source.bytes;
            bar.update(done, total, `to ${this.context.config.broker.use}`);
          }
        }
    } finally {
      bar.stop();
    }
    const upload = this.#upload ?? (await this.#begin());
    const mined = await ask(
      this.service,
      receiving.fileReceived,
      {
        upload,
        mark: this.#mark,
        run,
        addedBy,
        force,
        allowRemovals,
        limit,
        maxMs: maxMs === undefined ? undefined : Math.max(0, maxMs - (performance.now() - began)),
        checkpoints: [...(checkpoints ?? [])],
        unsent: this.#unsent,
        problems: batches.flatMap(({ skipped }) => skipped.filter(({ problem }) => problem === true)),
      },
      this.call,
    );
    return { ...mined, left: mined.left + this.#unsent.length };
  }

  /** An upload without a batch: the run is recorded all the same. */
  async #begin(): Promise<string> {
    await this.#announce(0, { sources: [], skipped: [] }, []);
    return this.#upload ?? '';
  }

  async #announce(number: number, batch: Batch, sources: readonly StagedSource[]): Promise<Set<string>> {
    const { project, complete, contained } = batch;
    const { force = false, checkpoints } = this.options;
    const keys = sources.map(({ sourceKey }) => sourceKey);
    const { upload, wanted } = await ask(
      this.service,
      receiving.announceSources,
      {
        upload: this.#upload,
        mark: this.#mark,
        batch: number,
        head: { project, complete, contained },
        sources: sources.map((source) => announced(source)),
        force,
        again: keys.filter((key) => checkpoints?.has(key) === true),
      },
      this.call,
    );
    this.#upload = upload;
    return new Set(wanted);
  }

  /** As runs without enough time do, it makes some progress each time. */
  async #send({ sourceKey, path, text }: StagedSource): Promise<void> {
    this.context.signal.throwIfAborted();
    const { timeIsUp } = this.options;
    if (this.#sent > 0 && timeIsUp?.() === true) return void this.#unsent.push(sourceKey);
    const pieces = text === undefined ? createReadStream(path, { highWaterMark: PIECE }) : piecesOf(text);
    let offset = 0;
    for await (const bytes of pieces) {
      await this.#piece(sourceKey, offset, bytes);
      offset += bytes.length;
    }
    if (offset === 0) await this.#piece(sourceKey, 0, Buffer.alloc(0));
    this.#sent += 1;
  }

  async #piece(sourceKey: string, offset: number, bytes: Buffer): Promise<void> {
    const upload = this.#upload ?? '';
    await ask(
      this.service,
      receiving.receiveText,
      { upload, sourceKey, offset, bytes: bytes.toString('base64') },
      this.call,
    );
  }
}

function* pagesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  // The first page announces the batch, also one without sources.
  for (let at = 0; at === 0 || at < all.length; at += PAGE) yield all.slice(at, at + PAGE);
}

function* piecesOf(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** As in a manifest. The path below the staging folder is that in the key of a document. */
function announced({
  text: _,
  ingestMode: _mode,
  sanitised: _clean,
  priorityFrom: _from,
  ...source
}: StagedSource): AnnouncedSource {
  const name = source.kind === 'document' ? pathOfKey(source.sourceKey) : basename(source.path);
  return { ...source, path: name };
}
