import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/platform/decode.js';

const bytes = (...values: number[]) => Uint8Array.from(values);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf8 = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
const utf16le = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le').swap16());

describe('decodeText', () => {
  it('decodes any UTF-8 text, with or without a byte order mark', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .filter((each) => !each.startsWith('\ufeff') && !each.includes('\0'));
    fc.assert(
      fc.property(text, (each) => {
        expect(decodeText(utf8(each))).toEqual({ text: each, encoding: 'utf-8' });
        expect(decodeText(utf8(`\ufeff${each}`))).toEqual({ text: each, encoding: 'utf-8' });
      }),
    );
  });

  it.each([
    ['Latin', '# Réunion\r\n\r\nL’été à Malmö.\r\n'],
    ['Chinese', '项目 说明\n这是一个测试文件。\n第二行 一\n'],
    ['Cyrillic', 'Привет, мир\nвторая строка\n'],
    ['emoji', 'done 🙂\n'],
  ])('decodes UTF-16 in both byte orders, with or without a mark: %s', (_, text) => {
    expect(decodeText(utf16le(`\ufeff${text}`))).toEqual({ text, encoding: 'utf-16le' });
    expect(decodeText(utf16be(`\ufeff${text}`))).toEqual({ text, encoding: 'utf-16be' });
    expect(decodeText(utf16le(text))).toEqual({ text, encoding: 'utf-16le' });
    expect(decodeText(utf16be(text))).toEqual({ text, encoding: 'utf-16be' });
  });

  it('does not mistake UTF-8 with a zero byte for UTF-16', () => {
    expect(decodeText(utf8('hello\0world!')).text).toBe('hello\0world!');
    expect(decodeText(utf8('grüße\0')).text).toBe('grüße\0');
  });

  it('treats UTF-8 with a few broken bytes as UTF-8', () => {
    const broken = new Uint8Array([...utf8('Grüße aus Köln, '), 0xff, ...utf8(' schön ist es.')]);
    expect(decodeText(broken)).toEqual({ text: 'Grüße aus Köln, \ufffd schön ist es.', encoding: 'utf-8' });
  });

  it('recognises older encodings', () => {
    expect(decodeText(latin1('# Übersicht\n\nDas Modul lädt die Größe und grüßt.\n')).text).toBe(
      '# Übersicht\n\nDas Modul lädt die Größe und grüßt.\n',
    );
    const russian = bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0, 0x2c, 0x20, 0xfd, 0xf2);
    expect(decodeText(russian)).toEqual({ text: 'Привет мир, эт', encoding: 'windows-1251' });
    const line = [0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x82, 0xcc, 0x95, 0xb6, 0x8f, 0x91, 0x81, 0x42, 0x0a];
    const japanese = bytes(...Array.from({ length: 20 }, () => line).flat());
    expect(decodeText(japanese)).toEqual({ text: 'テストの文書。\n'.repeat(20), encoding: 'shift_jis' });
  });

  it('falls back to windows-1252 for very short texts', () => {
    expect(decodeText(latin1('caf\xe9'))).toEqual({ text: 'café', encoding: 'windows-1252' });
  });

  it('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (each) => {
        const { text, encoding } = decodeText(each);
        expect(typeof text).toBe('string');
        expect(() => new TextDecoder(encoding)).not.toThrow();
      }),
    );
  });
});
