/** What is copied of a text is the text as it was filed, whatever is made of it on the screen. */

/**
 * The selected part of the text: whole blocks of rendered Markdown, and of lines exactly what is selected. Undefined for a
 * selection within one block of Markdown, which the browser copies, and for one that is not of the text.
 * @param shown what the text is shown in
 */
export function selectedOf(text: string, shown: Element, selection: Selection | null): string | undefined {
  if (selection === null || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const parts = [...shown.querySelectorAll<HTMLElement>('[data-start]')].flatMap((part) => {
    const within = withinOf(part, range);
    const { length } = within.toString();
    return length === 0 ? [] : [{ part, within, length }];
  });
  const [[first], last] = [parts, parts.at(-1)];
  if (first === undefined || last === undefined || (first === last && !isLine(first.part))) return undefined;
  const start = isLine(first.part) ? startOf(first) : Number(first.part.dataset.start);
  return text.slice(start, isLine(last.part) ? startOf(last) + last.length : Number(last.part.dataset.end));
}

const isLine = (element: HTMLElement): boolean => element.classList.contains('line');

/** The selected part of an element: a click that selects a paragraph ends before the first letter of the next. */
function withinOf(part: HTMLElement, range: Range): Range {
  const within = document.createRange();
  within.selectNodeContents(part);
  if (within.compareBoundaryPoints(Range.START_TO_START, range) < 0)
    within.setStart(range.startContainer, range.startOffset);
  if (within.compareBoundaryPoints(Range.END_TO_END, range) > 0)
    within.setEnd(range.endContainer, range.endOffset);
  return within;
}

function startOf({ part, within }: { part: HTMLElement; within: Range }): number {
  const before = document.createRange();
  before.setStart(part, 0);
  before.setEnd(within.startContainer, within.startOffset);
  return Number(part.dataset.start) + before.toString().length;
}
