import { describe, expect, test } from 'vitest';
import { maskedMessage, signatureOf, wasStopped } from '../../src/activity/messages.js';

const signature = (tool: string, message: string) => signatureOf(tool, maskedMessage(message));

describe('masked messages', () => {
  test.each([
    ["Exit code 1\nError: Cannot find module '/home/a/shop/x.js'", "Cannot find module '<path>x.js'"],
    [
      'Chunk ID: b41ab9\nWall time: 0.01 seconds\nProcess exited with code 3\nOriginal token count: 21\nOutput:\nls: no\n',
      'ls: no',
    ],
    ['Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nno', 'Script error:\nno'],
    [
      '<untrusted_context>\nOutput: no tests\nExit Code: 1\nProcess Group PGID: 77\n</untrusted_context>',
      'no tests',
    ],
    ['boom\n\n\nCommand exited with code 3', 'boom'],
    [
      '<tool_use_error>String to replace not found in file.</tool_use_error>',
      'String to replace not found in file.',
    ],
    ['\u001b[31mred\u001b[0m  at   src/a.ts:12:5', 'red at <path>a.ts:#:#'],
    ['took 12.5 ms, 1,024 rows', 'took # ms, # rows'],
    ['at 2026-11-22T10:11:12.123Z in 9f86d081884c', 'at <time> in #'],
    ['request 123e4567-e89b-12d3-a456-426614174000 failed', 'request <id> failed'],
    ['GET https://example.com/a?b=1 failed', 'GET <url> failed'],
    ['C:\\Users\\a\\shop\\x.js missing', '<path>x.js missing'],
    ['again\nagain\n\n\nagain\nend', 'again\nend'],
  ])('%j', (message, masked) => {
    expect(maskedMessage(message)).toBe(masked);
  });

  test('the same error in another folder, at another time, has the same signature', () => {
    const seen = (home: string, line: number, ms: number) =>
      `Exit code 1\n${home}/shop/cart.test.js:${line}\nAssertionError: 5 !== 6\n    at ${home}/shop/cart.js:${line}:9\nin ${ms} ms`;
    expect(signature('shell', seen('/home/a', 3, 12))).toBe(signature('shell', seen('/Users/b', 14, 7)));
    expect(signature('shell', seen('/home/a', 3, 12))).not.toBe(signature('edit', seen('/home/a', 3, 12)));
  });

  test('another file is another error', () => {
    const missing = (file: string) => signature('read', `File not found: /home/a/shop/${file}`);
    expect(missing('a.ts')).not.toBe(missing('b.ts'));
  });

  test('a message without words has no signature', () => {
    for (const message of ['', 'Exit code 1', 'Exit code 2\n\n42', '/home/a/b', '…'])
      expect(signature('shell', message)).toBeUndefined();
    expect(signature('shell', '找不到文件')).toBeDefined();
  });
});

test('calls that the user or the harness stopped', () => {
  expect(wasStopped("The user doesn't want to proceed with this tool use. The tool use was rejected")).toBe(
    true,
  );
  expect(wasStopped('aborted by user after 0.1s')).toBe(true);
  expect(wasStopped('<tool_use_error>Sibling tool call errored</tool_use_error>')).toBe(true);
  expect(wasStopped('[interrupted: the tool did not finish]')).toBe(true);
  expect(wasStopped('Exit code 1')).toBe(false);
});
