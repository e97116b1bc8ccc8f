import { describe, expect, it } from 'vitest';
import { bigramsOf } from '../../../src/store/index/bigrams.js';

const SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々〆]/u;

describe('the tokens of text without spaces between words', () => {
  it('are pairs of characters, and words of other scripts beside them', () => {
    expect(bigramsOf('the 東京都 of 使用React')).toBe('東京 京都 都 使用 用 React');
    expect(bigramsOf('plain words — “quoted”, café, 🎉', 'Ελληνικά и русский')).toBe('');
  });

  it('exist for every character of these scripts, also when only its compatible form is one', () => {
    const missed = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (SCRIPTS.test(character.normalize('NFKC')) && bigramsOf(character) === '') missed.push(character);
    }
    expect(missed).toEqual([]);
  });
});
