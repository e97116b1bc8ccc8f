import { BlockList, isIP } from 'node:net';
import { UserError } from '../core/errors.js';
import { isLoopback } from '../core/loopback.js';

export interface ChatAddress {
  url: URL;
  model: string;
  /** Sent as `Authorization: Bearer`. */
  token?: string | undefined;
}

/** Addresses of a home or an office: RFC 1918, RFC 4193, and of one link. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/**
 * Checks that text and token cannot be read on the way: http is for this machine and, without a token, for private addresses. A
 * name is not resolved.
 *
 * @param url with or without the final `/chat/completions`
 * @throws UserError `config`
 */
export function chatAddress(url: string, { model, token }: Omit<ChatAddress, 'url'>): ChatAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new UserError('config', 'summary.url is not an address', {
      hint: 'such as http://127.0.0.1:11434/v1 or https://api.example.com/v1',
    });
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw new UserError('config', 'summary.url must not contain a user, password, query or fragment', {
      hint: 'summary.token_file names a file with the key',
    });
  const { protocol, hostname } = parsed;
  if (protocol === 'http:' && !isLoopback(hostname)) {
    if (!isPrivate(hostname))
      throw new UserError('config', `sessions would be readable on their way to ${hostname}: use https`, {
        hint: 'http is for this machine and private addresses such as 192.168.1.5',
      });
    if (token !== undefined)
      throw new UserError('config', `the token would be readable on its way to ${hostname}: use https`, {
        hint: 'or set no summary.token_file, if the server needs none',
      });
  }
  parsed.pathname = `${parsed.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  return { url: parsed, model, token };
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  return version !== 0 && PRIVATE.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
