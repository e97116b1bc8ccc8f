import { describe, expect, it } from 'vitest';
import { parseObject, piecesOf } from '../../src/core/damaged-line.js';

const nasty = 'a } { "quoted" {"type":"user","text":"not a record"} \\ é 😀 function() {';
const record = (number: number, more: object = {}) =>
  JSON.stringify({
    parent: null,
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: `${nasty} ${number}` }, {}, []] },
    id: -1.5e3,
    flags: [true, false, null, { number: 9 }],
    number,
    ...more,
  });
const [A, B, C] = [record(1), record(2), record(3)];
const whole = (line: string) =>
  piecesOf(line).flatMap(({ json }) => (json === undefined ? [] : [json.number]));
const cut = (line: string) => piecesOf(line).flatMap(({ json, text }) => (json === undefined ? [text] : []));

describe('a damaged line', () => {
  it('gives the complete objects behind a piece that was cut off anywhere', () => {
    for (let at = 1; at < A.length; at += 1) {
      const piece = A.slice(0, at);
      expect([at, whole(piece + B)]).toEqual([at, [2]]);
      expect([at, whole(piece + B + C)]).toEqual([at, [2, 3]]);
      expect([at, cut(piece + B)]).toEqual([at, [piece]]);
      expect([at, whole(piece), cut(piece)]).toEqual([at, [], [piece]]);
    }
  });

  it('gives the complete objects behind the end of one whose beginning was lost', () => {
    for (let at = 1; at < A.length; at += 1) {
      const piece = A.slice(at);
      expect([at, whole(piece + B)]).toEqual([at, [2]]);
      expect([at, whole(piece)]).toEqual([at, []]);
      expect([at, cut(piece)]).toEqual([at, [piece.trimStart()]]);
    }
  });

  it('gives every object of a line, with blanks, byte order marks and NUL bytes between', () => {
    for (const between of ['', ' ', '\t ', '\uFEFF', '\0', '\0\0\0 \0', ' \uFEFF\0']) {
      expect(whole(between + A + between + B + between + C + between)).toEqual([1, 2, 3]);
      expect(cut(between + A + between + B + between + C + between)).toEqual([]);
    }
    expect(piecesOf('\0'.repeat(4096))).toEqual([]);
  });

  it('keeps a complete object in front of what is left of another', () => {
    expect(whole(`${A}${B.slice(0, 40)}`)).toEqual([1]);
    expect(whole(`${A}${B.slice(40)}`)).toEqual([1]);
    expect(whole(`${A}${B.slice(40)}${C}`)).toEqual([1, 3]);
    expect(cut(`${A}${B.slice(40)}${C}`)).toEqual([B.slice(40).trimStart()]);
  });

  it('gives an object that another writer wrote in the middle of a string of the first', () => {
    const start = A.indexOf('not a record');
    for (let at = start; at < start + 'not a record'.length; at += 1) {
      expect([at, whole(A.slice(0, at) + B + A.slice(at))]).toEqual([at, [2]]);
      expect([at, whole(A.slice(0, at) + B + A.slice(at) + C)]).toEqual([at, [2, 3]]);
    }
  });

  it('does not make a record of an object within another, or of a quoted one', () => {
    const progress = JSON.stringify({
      parent: 1,
      type: 'progress',
      data: { message: { type: 'user', number: 9 } },
    });
    for (let at = 1; at < progress.length; at += 1) expect(whole(progress.slice(0, at))).toEqual([]);
    const quoting = JSON.stringify({ parent: 1, text: record(9), more: 1 });
    for (let at = 1; at < quoting.length; at += 1) {
      expect(whole(quoting.slice(0, at))).toEqual([]);
      expect(whole(quoting.slice(at))).toEqual([]);
    }
    // A hole of NUL bytes may have swallowed the end of one record and the beginning of the next.
    expect(whole(`${A.slice(0, 90)}${'\0'.repeat(512)}${B.slice(90)}`)).toEqual([]);
  });

  it('says whether a piece broke off within a string, which may go on in the next line', () => {
    expect(piecesOf('{"a":"x')).toEqual([{ text: '{"a":"x', json: undefined, inString: true }]);
    expect(piecesOf('{"a":"x"')[0]?.inString).not.toBe(true);
    expect(parseObject('{"a":"x\ny\tz"}')).toEqual({ a: 'x\ny\tz' });
  });

  it('takes time in proportion to the length', () => {
    const started = performance.now();
    const long = `{"parent":[${'{"b":{}},'.repeat(200_000)}`;
    expect(whole(`${long}${B}`)).toEqual([2]);
    expect(whole(`${'{"'.repeat(500_000)}${B}`)).toEqual([2]);
    expect(whole(`x${'{}'.repeat(500_000)}y${B}`)).toEqual([2]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
