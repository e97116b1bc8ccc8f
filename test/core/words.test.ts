import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { fold, foldWithPlaces } from '../../src/core/fold.js';
import { FOLDED, furtherWords, wordsIn } from '../../src/core/words.js';

describe('a folded text', () => {
  it.each([
    ['Ещё не ВСЁ', 'еще не все'],
    ['и\u0306од', fold('йод')],
    ['Αρχείο, ΟΔΟΣ, οδός, ΐ', 'αρχειο, οδοσ, οδοσ, ι'],
    ['قَاعِدَةُ إعدادات أُغلقت آخر مسؤول هدى', 'قاعده اعدادات اغلقت اخر مسوول هدي'],
    ['کتابـــی می\u200cخواهم', 'كتابي ميخواهم'],
    ['הַגִּבּוּי נִכְשַׁל', 'הגבוי נכשל'],
    [
      'Übergröße STRASSE Łódź smørrebrød Ægir œuvre þing ðat İstanbul ısı',
      'ubergrosse strasse lodz smorrebrod aegir oeuvre thing dat istanbul isi',
    ],
    ['ﬁnal ﬂow oﬃce ＡＢＣ１', 'final flow office abc1'],
    ['co\u00adoperate zero\u200bwidth e\u0301te\u0301', 'cooperate zerowidth ete'],
    // Their marks are vowels, or make another letter.
    ['हिन्दी दूध', 'हिन्दी दूध'],
    ['ทำไม น้ำ', 'ทำไม น้ำ'],
    ['がぎ ガ', 'がぎ ガ'],
    ['한국어', '한국어'],
  ])('%s is %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(fold(folded)).toBe(folded);
  });

  it('has the place of each letter', () => {
    const { folded, places } = foldWithPlaces('An o\u0308ﬃce ß…');
    expect(folded).toBe('an office ss…');
    expect(places).toEqual([0, 1, 2, 3, 5, 5, 5, 6, 7, 8, 9, 9, 10, 11]);
  });
});

describe('the further words of a text', () => {
  const words = (text: string) =>
    furtherWords(text)
      .filter((word) => word !== FOLDED)
      .map((word) => word.replaceAll('\ue001', '.'))
      .join(' ');

  it.each([
    ['HttpRetryPolicy', 'http retry policy'],
    ['hikari.maximumPoolSize', 'maximum pool size'],
    ['parseHTMLResponse', 'parse html response'],
    ['OAuth2Token', 'oauth2 oauth auth2 auth token'],
    ['sha256Hash', 'sha256 sha hash'],
    ['getURLsForUser', 'get urls for user'],
    [
      'theUserIsSentToTheLoginPageWhenTheTokenOfTheSessionHasExpired',
      'the user is sent to login page when token of session has expired',
    ],
    ['v20 (V9) x64 v12a', '20'],
    // Between zero-width non-joiners, as one writes spaces.
    ['پایگاه\u200cداده\u200cها', 'پايگاه داده ها پايگاهدادهها'],
    ['ИмяПоля', 'имя поля'],
    ['snake_case kebab-case dotted.name CONSTANT_NAME plain URLs E2E x2', ''],
    // Encoded data is not a name.
    ['aGVsbG8gd29ybGQgaGVsbG8', ''],
    ['VGhlIGNhcnQgaXMgcm91bmRlZCBvbmNlIGFuZCBuZXZlciBwZXIgbGluZSBpdGVt', ''],
  ])('%s are the parts of its names: %s', (text, parts) => expect(words(text)).toBe(parts));

  it.each([
    ['v3.11.2', '3.11 3.11.2'],
    ['python3.11 (2026.10.4-rc1)', '3.11 2026.10 2026.10.4'],
    ['1.2.3.4.5.6', ''],
    ['libfoo.so.1.2.3', '1.2 1.2.3'],
    ['at 3. 11', ''],
  ])('%s are its versions: %s', (text, versions) => expect(words(text)).toBe(versions));

  it('are none of text that the tokenizer sees as it is', () => {
    expect(
      furtherWords('The cart is rounded — “once”, naïve café, Größte, привет мир, 東京都, हिन्दी'),
    ).toEqual([FOLDED, 'grosste']);
  });

  it('are all words that the tokenizer of the index does not fold as questions are', () => {
    const texts: string[] = [];
    for (let code = 0x80; code < 0x2fff; code += 1) {
      const letter = String.fromCodePoint(code);
      if (/[\p{L}\p{N}]/u.test(letter)) texts.push(`q${letter}q`);
    }
    const index = new Database(':memory:');
    index.exec(
      `CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')`,
    );
    index.exec(`CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance')`);
    const insert = index.prepare('INSERT INTO words(rowid, text) VALUES (?, ?)');
    const termsOf = (rows: readonly string[]): string[] => {
      index.exec('DELETE FROM words');
      rows.forEach((row, at) => {
        insert.run(at + 1, row);
      });
      const terms: string[] = rows.map(() => '');
      for (const { doc, term } of index
        .prepare<[], { doc: number; term: string }>('SELECT doc, term FROM terms ORDER BY doc, offset')
        .iterate())
        terms[doc - 1] += ` ${term}`;
      return terms;
    };
    const [asTexts, asQuestions] = [termsOf(texts), termsOf(texts.map(fold))];
    index.close();
    const missed = texts.filter(
      (text, at) => asTexts[at] !== asQuestions[at] && !furtherWords(text).includes(fold(text)),
    );
    expect(missed).toEqual([]);
  });

  it('have places in the text', () => {
    const text = 'ein ﬁnal HttpPolicy v3.11.2';
    expect(wordsIn(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      ...['ein', 'ﬁnal', 'HttpPolicy', 'Http', 'Policy', 'v3.11.2', 'v3', '11', '2'],
    ]);
  });
});
