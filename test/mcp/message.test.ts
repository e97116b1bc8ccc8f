import { describe, expect, it } from 'vitest';
import { tidyMessage } from '../../src/mcp/message.js';

const call = (changes: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  ...changes,
});

describe('a message with what a client does not mean', () => {
  it.each([
    ['params null', call({ params: null }), call({})],
    ['params []', call({ params: [] }), call({})],
    ['a cursor', call({ params: { cursor: null } }), call({ params: {} })],
    ['_meta null', call({ params: { _meta: null } }), call({ params: {} })],
    [
      'a null in _meta',
      call({ params: { _meta: { progressToken: null } } }),
      call({ params: { _meta: {} } }),
    ],
    ['arguments null', call({ params: { name: 'x', arguments: null } }), call({ params: { name: 'x' } })],
    ['arguments []', call({ params: { name: 'x', arguments: [] } }), call({ params: { name: 'x' } })],
    ['capabilities []', call({ params: { capabilities: [] } }), call({ params: { capabilities: {} } })],
    [
      'a null in capabilities',
      call({ params: { capabilities: { roots: null, sampling: [] } } }),
      call({ params: { capabilities: { sampling: {} } } }),
    ],
    [
      'an error beside a result',
      { jsonrpc: '2.0', id: 1, result: {}, error: null },
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
    [
      'an id of a notification',
      { jsonrpc: '2.0', id: null, method: 'notifications/initialized', params: null },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ],
  ])('is read without it: %s', (_, message, wanted) => {
    expect(tidyMessage(message)).toEqual(wanted);
  });

  it.each([
    ['the arguments of a tool', call({ params: { name: 'x', arguments: { a: null, b: [], c: [null] } } })],
    ['the id of a request', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a message that is not an object', [null]],
    ['another params', call({ params: 'x' })],
  ])('keeps %s', (_, message) => {
    expect(tidyMessage(message)).toEqual(message);
  });
});
