import { expect, it } from 'vitest';
import { isLoopback } from '../../src/core/loopback.js';

it('names of this machine are told from others that look like them', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]', 'llm.localhost'])
    expect(isLoopback(host), host).toBe(true);
  for (const host of ['127.evil.example', 'localhost.evil.example', '10.0.0.1', '::', 'memory.example'])
    expect(isLoopback(host), host).toBe(false);
});
