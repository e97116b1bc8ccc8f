import { findBroker } from '../../broker/find.js';
import { isOfSettings } from '../../broker/hello.js';
import { UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { refusingUnknownNames } from '../../operations/known-names.js';
import { DRIFT, type PalaceService, type ServiceCall } from '../../service/contract/index.js';
import type { Models } from '../../service/palace/models.js';
import type { Writer } from '../../service/palace/resources.js';
import type { ConnectedService } from '../../service/rpc/client.js';
import type { SqliteService } from '../../service/sqlite/index.js';
import type { ModelIdentity } from '../../store/index.js';
import { brokerOf, isNamed, reasonOf, unreachable } from './broker.js';
import { sayWarnings } from './open-palace.js';
import type { CommandContext } from './runner.js';

/**
 * Runs `work` with the palace: that of the running broker, if there is one.
 *
 * @param options.warns says if the palace's indexes do not fit its rows and may miss some
 * @param options.upgrades opens a palace of an earlier version, which upgrades it
 */
export async function withService<T>(
  context: CommandContext,
  work: (service: PalaceService, call: ServiceCall) => Promise<T>,
  { warns = true, upgrades = true } = {},
): Promise<T> {
  const { signal, terminal } = context;
  const call: ServiceCall = { signal, agent: '', through: '', waitMs: 0 };
  const opened = (await answeringBroker(context, call)) ?? (await ownChecked(context, !upgrades));
  if (warns) sayWarnings(opened.warnings, terminal);
  return closing(refusingUnknownNames(opened.service), (service) => work(service, call));
}

/**
 * Runs `work` with a palace that it changes by short writes: through the running broker, if there is one.
 *
 * @param command recorded as the writer, and with the run
 * @param make creates a missing palace
 */
export async function withWriter<T>(
  context: CommandContext,
  { command, make }: { command: string; make: boolean },
  work: (service: PalaceService, call: ServiceCall) => Promise<T>,
): Promise<T> {
  const call: ServiceCall = { signal: context.signal, agent: command, through: command, waitMs: 0 };
  const opened = await answeringBroker(context, call);
  const service =
    opened?.service ??
    (await ownService(context, { writer: (await import('./writer.js')).writer(context, make) }));
  return closing(refusingUnknownNames(service), (checked) => work(checked, call));
}

async function closing<T>(
  service: ConnectedService,
  work: (service: PalaceService) => Promise<T>,
): Promise<T> {
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

interface Opened {
  service: ConnectedService;
  warnings: Parameters<typeof sayWarnings>[0];
}

/** @throws as `read` does; then the service is closed */
async function withWarnings(
  service: ConnectedService,
  read: () => Opened['warnings'] | Promise<Opened['warnings']>,
): Promise<Opened> {
  try {
    return { service, warnings: await read() };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Asked directly: no schema is loaded for it. */
async function ownChecked(context: CommandContext, readOnly: boolean): Promise<Opened> {
  const service = await ownService(context, { readOnly });
  return withWarnings(service, () => [service.handle.get().drift()].flatMap((found) => found ?? []));
}

async function ownService(
  context: CommandContext,
  more: { writer?: Writer; readOnly?: boolean } = {},
): Promise<SqliteService> {
  const { sqliteService } = await import('../../service/sqlite/index.js');
  const { folders, config } = context;
  const countsUses = config.uses === 'on';
  return sqliteService({ folder: folders.palace, models: new QuestionModel(context), countsUses, ...more });
}

/** Time of a broker for its first answer, milliseconds: it may be stopped, or end just now. */
const FIRST_ANSWER_MS = 5_000;

/**
 * The palace behind its broker, if one runs: its model is loaded already.
 *
 * @throws UserError `unreachable` when a broker that the user named does not answer
 */
async function answeringBroker(context: CommandContext, call: ServiceCall): Promise<Opened | undefined> {
  const { config, signal } = context;
  const service = isNamed(config)
    ? await (await import('./named-broker.js')).connectNamed(context)
    : await runningService(context);
  if (service === undefined) return undefined;
  const first = new AbortController();
  const giveUp = (): void => first.abort(unreachable(config, 'it does not answer'));
  const timer = setTimeout(giveUp, FIRST_ANSWER_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const asking = { ...call, signal: first.signal };
    return await withWarnings(service, async () => {
      const told = await service.ask(DRIFT, {}, asking);
      return (told as Pick<Opened, 'warnings'>).warnings;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isNamed(config)) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** That of the palace's own broker, if it runs. */
async function runningService(context: CommandContext): Promise<ConnectedService | undefined> {
  const { terminal } = context;
  const wanted = brokerOf(context, 'service');
  const found = wanted && (await findBroker(wanted));
  if (found === undefined || 'why' in found) {
    const reason = reasonOf(found);
    if (isOfSettings(reason) && terminal.io.stderr.isTTY)
      terminal.note(`${reason}; this command works by itself`);
    return undefined;
  }
  const { overStream } = await import('./over-stream.js');
  return overStream(found.stream);
}

/** The palace's model in this thread, kept for several questions of one command. Its modules are loaded when one is asked. */
class QuestionModel implements Models {
  #embedder: Embedder | undefined;

  constructor(private readonly context: CommandContext) {}

  /**
   * @returns no embedder if the model is not installed
   * @throws UserError `failed` if this program has no such model, or another revision of it
   */
  async forQuestion(identity: ModelIdentity) {
    (await import('./palace-model.js')).modelFor(identity);
    try {
      return { embedder: await this.wait(identity), trouble: undefined };
    } catch (error) {
      if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
      const { message: text, hint } = error;
      return { embedder: undefined, trouble: { text, hint } };
    }
  }

  /** Loaded at the first question, and again after the palace changed its model. */
  async wait(identity: ModelIdentity): Promise<Embedder> {
    const [{ modelFor, openEmbedder }, { loadEmbedder }, { sameModel }] = await Promise.all([
      import('./palace-model.js'),
      import('../../embedding/index.js'),
      import('../../store/index.js'),
    ]);
    const model = modelFor(identity);
    if (this.#embedder !== undefined && sameModel(this.#embedder.model, model)) return this.#embedder;
    await this.close();
    this.#embedder = await openEmbedder(model, this.context, loadEmbedder);
    return this.#embedder;
  }

  async close(): Promise<void> {
    await this.#embedder?.close();
    this.#embedder = undefined;
  }
}
