import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutInlineData } from '../../../src/feeders/docs/inline-data.js';

const data = Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 37) % 256)).toString('base64');
const wrapped = (data.match(/.{1,76}/g) ?? []).join('\n');

describe('data within a text', () => {
  it.each([
    ['a picture of Markdown', `a ![b](data:image/png;base64,${data}) c`, 'a ![b]([image/png, 3 kB]) c'],
    ['with a title', `![b](data:image/png;base64,${data} "t") c`, '![b]([image/png, 3 kB] "t") c'],
    ['a reference', `[b]: data:image/PNG;base64,${data}\nNext line.`, '[b]: [image/png, 3 kB]\nNext line.'],
    ['an element of HTML', `<img src="data:image/jpeg;base64,${data}">`, '<img src="[image/jpeg, 3 kB]">'],
    ['with parameters', `url(data:font/woff2;charset=utf-8;base64,${data})`, 'url([font/woff2, 3 kB])'],
    [
      'in lines, as a notebook writes it',
      `<img src="data:image/png;base64,${wrapped}"/>\nafter`,
      '<img src="[image/png, 3 kB]"/>\nafter',
    ],
    [
      'in lines without an end mark',
      `data:image/svg+xml;base64,${wrapped}\n\nThe text goes on.`,
      '[image/svg+xml, 3 kB]\n\nThe text goes on.',
    ],
    ['without a type', `url(data:;base64,${data})`, 'url([data, 3 kB])'],
    ['in capitals, with blanks', `url(data:image/gif; BASE64, ${data})`, 'url([image/gif, 3 kB])'],
    [
      'in a quote',
      `> ![](data:image/png;base64,${wrapped.replaceAll('\n', '\n> ')})\n\nb`,
      '> ![]([image/png, 3 kB])\n\nb',
    ],
    ['escaped in JSON', `"data:image\\/png;base64,${data.replaceAll('/', '\\/')}"`, '"[image/png, 3 kB]"'],
    ['with percent signs', `(data:a/b;base64,${encodeURIComponent(data)})`, '([a/b, 3 kB])'],
    ['a drawing', `(data:image/svg+xml;utf8,%3Csvg%3E${'%20'.repeat(996)})`, '([image/svg+xml, 1 kB])'],
    ['a small one', `(data:image/gif;base64,${data.slice(0, 56)})`, '([image/gif, 42 bytes])'],
    ['output of a notebook', `{"image/png":"${data}"}`, '{"image/png":"[data, 3 kB]"}'],
    [
      'in lines without an address',
      `!!binary |\n  ${wrapped.replaceAll('\n', '\n  ')}\nb: c`,
      '!!binary |\n  [data, 3 kB]\nb: c',
    ],
    ['two of them', `(data:a/b;base64,${data})(data:c/d;base64,${data})`, '([a/b, 3 kB])([c/d, 3 kB])'],
  ])('is a word: %s', (_, text, wanted) => {
    expect(withoutInlineData(text)).toBe(wanted);
  });

  it.each([
    'data:image/png;base64,AAAA',
    'see data:text/plain,hello',
    'a;base64,b',
    'metadata: image/png;base64, yes',
    `-----BEGIN CERTIFICATE-----\n${wrapped}\n-----END CERTIFICATE-----\n`,
    'a'.repeat(3000),
    Buffer.from(data).toString('hex'),
  ])('stays when it is short or none: %s', (text) => {
    expect(withoutInlineData(text)).toBe(text);
  });

  it('leaves every text around it as it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const text = `${before} (data:image/png;base64,${data}) ${after}`;
        expect(withoutInlineData(text)).toBe(`${before} ([image/png, 3 kB]) ${after}`);
      }),
    );
  });
});
