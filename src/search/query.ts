/** Words that say nothing of what is looked for; left out while other words remain. */
const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does ' +
    'doing for from had has have having he her here him his how i if in into is it its just me more my no not ' +
    'of on or our out over she should so some such than that the their them then there these they this those ' +
    'to too under up us was we were what when where which while who whom why will with would you your'
  ).split(' '),
);

/** A longer question is cut here: every further word costs time and adds noise. */
const WORDS_AT_MOST = 64;

/** The words of a question, in order and once each, without stop words unless there is nothing else. */
export function questionWords(question: string): string[] {
  const words = [
    ...new Set(
      question
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
    ),
  ];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, WORDS_AT_MOST);
}
