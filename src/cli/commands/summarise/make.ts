import type * as z from 'zod/mini';
import { type Chat, type ChatAddress, ChatError, type ChatReply, chatAddress } from '../../../chat/index.js';
import type { Config } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import { estimateTokens } from '../../../core/tokens.js';
import { instructionsFor, SUMMARY_TOKENS } from '../../../knowledge/summaries/index.js';
import { ask } from '../../../operations/operation.js';
import { summaries } from '../../../operations/summaries.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import type { PalaceService, ServiceCall } from '../../../service/contract/index.js';

/** Which sessions. */
export type Asked = z.output<ReturnType<typeof summaries.unsummarised.input>>;

export interface Summarising {
  service: PalaceService;
  call: ServiceCall;
  chat: Pick<Chat, 'ask'>;
  /** Its name, which the summaries bear. */
  model: string;
  /** Tokens of a session that it is given. */
  digestTokens: number;
  /** Tokens per day. */
  budget: number;
  /** What is sent passes it, although the palace contains no secrets that it knows. */
  sanitiser: Pick<Sanitiser, 'clean'>;
  onFiled?: ((made: MadeSummary) => void) | undefined;
}

interface MadeSummary {
  session: string;
  summary_id: string;
  title: string;
  tokens: number;
  redacted: Record<string, number>;
}

export interface Summarised {
  made: MadeSummary[];
  problems: { session: string; reason: string; hint: string | undefined }[];
  /** Sessions without a summary, or with an old one, that were not tried. */
  left: number;
  /** Tokens used today. */
  spent: number;
  /** Why sessions were not tried, if not for the limit. */
  stopped: UserError | undefined;
}

/** After so many failures in sequence the others would fail, too. */
const MOST_FAILURES = 3;

/**
 * Has a model summarise sessions, one after the other, and files each answer. An endpoint that fails, a used-up budget, and three
 * failures in sequence end it; what is filed stays.
 *
 * @throws UserError `not-found` for an unknown session; what the service throws
 */
export async function makeSummaries(
  asked: Asked,
  { service, call, onFiled, ...model }: Summarising,
): Promise<Summarised> {
  const { sessions, total, spent } = await ask(service, summaries.unsummarised, asked, call);
  const result: Summarised = { made: [], problems: [], left: total, spent, stopped: undefined };
  let failures = 0;
  for (const { source_key, title } of sessions) {
    const wanted = { source_key, tokens: model.digestTokens };
    const { digest, mtime_ms } = await ask(service, summaries.sessionDigest, wanted, call);
    const { text } = await model.sanitiser.clean(digest);
    const reply = await replyTo(text, model, result.spent, call.signal);
    if (reply instanceof UserError && !(reply instanceof ChatError)) {
      result.stopped = reply;
      break;
    }
    result.left -= 1;
    const content = reply instanceof ChatError ? undefined : reply.text;
    const { tokens } = reply;
    if (tokens > 0) {
      const note = { session: source_key, mtime_ms, model: model.model, content, tokens };
      const { outcome, summary_id, redacted } = await ask(service, summaries.fileSummary, note, call);
      result.spent += tokens;
      if (outcome === 'filed') {
        const made = { session: source_key, summary_id, title, tokens, redacted };
        result.made.push(made);
        onFiled?.(made);
      }
    }
    if (!(reply instanceof ChatError)) {
      failures = 0;
      continue;
    }
    failures += 1;
    result.problems.push({ session: source_key, reason: reply.message, hint: reply.hint });
    if (!reply.concernsServer && failures < MOST_FAILURES) continue;
    result.stopped = reply;
    break;
  }
  return result;
}

/** A refusal is returned, since it ends or does not end the run. @throws the signal's reason */
async function replyTo(
  digest: string,
  { chat, budget }: Pick<Summarising, 'chat' | 'budget'>,
  spent: number,
  signal: AbortSignal,
): Promise<ChatReply | UserError> {
  const messages = instructionsFor(digest);
  if (spent + mostOf(digest) > budget)
    return new UserError('failed', `today's budget is used up: ${spent} of ${budget} tokens`, {
      hint: 'it begins again at midnight UTC; summary.daily_budget sets it',
    });
  try {
    return await chat.ask(messages, SUMMARY_TOKENS, signal);
  } catch (error) {
    if (error instanceof ChatError) return error;
    throw error;
  }
}

/** The estimated tokens of a question with the longest answer. */
function mostOf(digest: string): number {
  const question = instructionsFor(digest).map(({ content }) => content);
  return estimateTokens(question.join('\n')) + SUMMARY_TOKENS;
}

/** What the sessions would cost at most, each estimated by its length. */
export function estimatedTokens(sessions: readonly { chars: number }[], most: number): number {
  const fixed = mostOf('');
  return sessions.reduce((sum, { chars }) => sum + fixed + Math.min(most, Math.ceil(chars / 4)), 0);
}

/** What the instructions take of the context, tokens. */
const INSTRUCTIONS = 200;
/** Code and other scripts have more tokens than the estimate. */
const CAUTION = 0.75;

/** The tokens of a session that the model is given, of what it can read and write at once. */
export const digestTokens = (context: number): number =>
  Math.floor((context - SUMMARY_TOKENS - INSTRUCTIONS) * CAUTION);

/**
 * Where the model is asked.
 *
 * @param readToken reads a token from its file; undefined if there is no file
 * @throws UserError `config`
 */
export function addressOf(
  { url, model, tokenFile }: Config['summary'],
  readToken: (file: string) => string | undefined,
): ChatAddress {
  if (url === '' || model === '')
    throw new UserError('config', 'no model is set for summaries', {
      hint: 'set summary.url and summary.model in config.yaml (docs/summaries.md)',
    });
  const token = tokenFile === '' ? undefined : readToken(tokenFile);
  if (tokenFile !== '' && token === undefined)
    throw new UserError('config', `summary.token_file: there is no file ${tokenFile}`, {
      hint: 'put the key into it, mode 600',
    });
  return chatAddress(url, { model, token });
}
