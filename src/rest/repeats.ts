import { createHash } from 'node:crypto';
import { Refusal } from './request.js';

/** Answers at most; the oldest give way. */
const MOST = 500;
/** An answer is kept this long, milliseconds. It may name what was forgotten. */
const KEPT_MS = 10 * 60_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

interface Kept {
  request: string;
  answer: Promise<object>;
}

/** Actions that were asked for with an Idempotency-Key, by who asked and the key: each is done once. */
export class Repeats {
  readonly #kept = new Map<string, Kept>();

  /**
   * The answer of `work`, or of an earlier call with the same key, which may still go on. After an error the key is free.
   *
   * @param request stands for all that is asked for
   * @throws Refusal 400 for a malformed key, 422 for the key of another request; as `work`
   */
  once(key: string, who: string, request: string, work: () => Promise<object>): Promise<object> {
    if (!KEY.test(key)) throw new Refusal(400, 'an Idempotency-Key has 1 to 200 visible ASCII characters');
    const [name, hash] = [JSON.stringify([who, key]), hashOf(request)];
    const known = this.#kept.get(name);
    if (known !== undefined) {
      if (known.request === hash) return known.answer;
      throw new Refusal(422, 'the Idempotency-Key belongs to another request', 'use a new key per request');
    }
    const answer = work();
    this.#kept.set(name, { request: hash, answer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
    answer.then(
      () => setTimeout(() => this.#kept.delete(name), KEPT_MS).unref(),
      () => this.#kept.delete(name),
    );
    return answer;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
