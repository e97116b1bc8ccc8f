import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isErrno, messageOf, UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { replaceFile } from '../platform/atomic-write.js';
import { textIfAny } from '../platform/read-text.js';
import type { Client } from './authenticate.js';

/** In the palace's folder, 0600: who may connect over HTTP. It contains hashes, from which no token can be computed. */
const TOKENS_FILE = 'serve-tokens.json';

/** 256 random bits. */
const TOKEN_BYTES = 32;
const PREFIX = 'mempalace_';
/** What a token file may contain: at least as long as 128 bits in hexadecimal digits. */
const TOKEN = /^[\w.~+/=-]{32,512}$/;
const OTHERS = 0o077;

/** Strict: a restriction that this program does not know must not be ignored. */
const holderSchema = z.strictObject({
  name: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  read_only: z.boolean(),
  created: z.string(),
});
const fileSchema = z.object({
  v: z.literal(1),
  tokens: z.array(holderSchema),
  /** Apart: a program that does not know wings of tokens, such as a server that was not restarted, lets them not in. */
  wing_tokens: z.array(holderSchema.extend({ wing: z.string() })).default([]),
});
type Stored = z.output<typeof holderSchema> & { wing?: string };

/** Who a token was made for. */
export interface Holder extends Client {
  /** ISO 8601. */
  created: string;
}

/** The tokens of a palace. Each call reads the file, so that a change applies at once. */
export class Tokens {
  readonly file: string;

  constructor(palace: string) {
    this.file = join(palace, TOKENS_FILE);
  }

  /** @throws UserError `config` if the file is damaged */
  list(): Holder[] {
    return this.#read().map(shown);
  }

  /** Stores the hash of a token, in the place of an earlier token of that name. */
  put(token: string, { name, readOnly, wing }: Omit<Holder, 'created'>): void {
    const created = new Date().toISOString();
    const sha256 = hashOf(token).toString('hex');
    const others = this.#read().filter((each) => each.name !== name);
    this.#write([
      ...others,
      { name, sha256, read_only: readOnly, created, ...(wing !== undefined && { wing }) },
    ]);
  }

  /** @returns false if there is none of that name */
  revoke(name: string): boolean {
    const all = this.#read();
    const others = all.filter((each) => each.name !== name);
    if (others.length < all.length) this.#write(others);
    return others.length < all.length;
  }

  /** Compares with every token, in a time that says nothing about them. */
  holderOf(token: string): Holder | undefined {
    const given = hashOf(token);
    let found: Holder | undefined;
    for (const stored of this.#read())
      if (timingSafeEqual(given, Buffer.from(stored.sha256, 'hex'))) found = shown(stored);
    return found;
  }

  #read(): Stored[] {
    const text = textIfAny(this.file);
    if (text === undefined) return [];
    const read = fileSchema.safeParse(parseJson(text));
    if (read.success) return [...read.data.tokens, ...read.data.wing_tokens];
    throw new UserError('config', `${this.file} is damaged`, {
      hint: 'remove it, and make new tokens with mempalace serve token add',
    });
  }

  #write(all: readonly Stored[]): void {
    const tokens = all.filter(({ wing }) => wing === undefined);
    const confined = all.filter(({ wing }) => wing !== undefined);
    const content = { v: 1, tokens, ...(confined.length > 0 && { wing_tokens: confined }) };
    replaceFile(this.file, `${JSON.stringify(content, null, 2)}\n`);
  }
}

function shown({ name, read_only: readOnly, wing, created }: Stored): Holder {
  return { name, readOnly, wing, created };
}

export function newToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * The token in a file of its user; undefined if the file is missing.
 *
 * @throws UserError `config` if other users may read the file, or it contains something else
 */
export function readTokenFile(file: string): string | undefined {
  let text: string;
  try {
    // A pipe would wait for its writer.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) throw new UserError('config', `${file} is not a file`);
      if ((stat.mode & OTHERS) !== 0)
        throw new UserError('config', `other users may read or write ${file}`, { hint: `chmod 600 ${file}` });
      text = readFileSync(descriptor, 'utf8').trim();
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    if (error instanceof UserError) throw error;
    throw new UserError('config', `cannot read the token: ${messageOf(error)}`, { cause: error });
  }
  if (TOKEN.test(text)) return text;
  throw new UserError('config', `${file} does not contain a token`, {
    hint: 'a token is one line of 32 to 512 letters, digits and ._~+/=-',
  });
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
