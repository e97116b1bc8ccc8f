import type { Address } from '../adapters/rest.js';
import { UserError } from '../core/errors.js';
import { issuesText } from '../core/issues.js';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';
import type { Asked } from './addresses.js';
import { FeederRuns } from './feeder-runs.js';
import { type Client, type RestHost, serviceFor } from './host.js';
import { Repeats } from './repeats.js';
import { bodyOf, Refusal, withDeadline } from './request.js';

/** A write waits this long for other writers, milliseconds. */
const WAIT_MS = 10_000;
const NEVER = new AbortController().signal;

/** Does actions: each once per Idempotency-Key, and each that changes something with a line in the write log. */
export class ActionRunner {
  readonly #repeats = new Repeats();

  readonly feederRuns: FeederRuns;

  constructor(private readonly host: RestHost) {
    this.feederRuns = new FeederRuns(host);
  }

  /** @throws UserError; Refusal for a request that no action takes */
  async answer(action: Address<Asked>, request: Request, client: Client): Promise<object> {
    const { path, reads = false, long = false } = action;
    if (client.readOnly && !reads)
      throw new Refusal(403, 'the client may only read', 'a token that is not --read-only may write');
    const service = serviceFor(client, this.host, action);
    const body = readBody(action, await bodyOf(request));
    const work = (): Promise<object> =>
      long
        ? this.#act(action, body, client, service, NEVER)
        : withDeadline(request.signal, (signal) => this.#act(action, body, client, service, signal));
    const key = request.headers.get('idempotency-key');
    if (key === null || reads) return work();
    // A new token may have the name of a revoked one, and other rights.
    const who = JSON.stringify([client.name, client.wing]);
    return this.#repeats.once(key, who, JSON.stringify([path, body]), work);
  }

  async #act(
    action: Address<Asked>,
    body: Body,
    client: Client,
    service: PalaceService,
    signal: AbortSignal,
  ): Promise<object> {
    const { path, reads = false, logged } = action;
    const began = performance.now();
    const call: ServiceCall = { signal, agent: client.name, through: `rest: ${path}`, waitMs: WAIT_MS };
    const entry = (outcome: Record<string, unknown>): Promise<void> =>
      this.host.record({
        ...logged(body),
        agent: client.name,
        client: 'rest',
        tool: `POST ${path}`,
        ...outcome,
        ms: Math.round(performance.now() - began),
      });
    try {
      const answer = await action.answer(body, { ...this.host, service, call, feederRuns: this.feederRuns });
      if (!reads) await entry({ ok: true });
      return answer;
    } catch (error) {
      if (!reads) await entry({ ok: false, error: error instanceof UserError ? error.code : 'bug' });
      throw error;
    }
  }
}

type Body = Record<string, unknown>;

/** @throws Refusal that lists all errors */
function readBody({ path, takes: schema }: Address<Asked>, given: unknown): Body {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const takes = Object.keys(schema.shape).join(', ');
  throw new Refusal(400, issuesText(read.error, 'the request'), `${path} takes ${takes}`);
}
