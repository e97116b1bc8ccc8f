/** What is copied of a text is the text as it was filed, whatever is made of it on the screen. */

/**
 * The selected part of the text: whole blocks of rendered Markdown, and of lines exactly what is selected. Undefined for a
 * selection within one block of Markdown, which the browser copies, and for one that is not of the text.
 */
export function selectedOf(text: string, selection: Selection | null): string | undefined {
  if (selection === null || selection.rangeCount === 0) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const [from, to] = [shownAt(startContainer), shownAt(endContainer)];
  if (from === undefined || to === undefined || (from === to && !isLine(from))) return undefined;
  const start = isLine(from) ? placeIn(from, startContainer, startOffset) : Number(from.dataset.start);
  const end = isLine(to) ? placeIn(to, endContainer, endOffset) : Number(to.dataset.end);
  return text.slice(start, end);
}

const isLine = (element: HTMLElement): boolean => element.classList.contains('line');

const shownAt = (node: Node): HTMLElement | undefined =>
  (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('[data-start]') ?? undefined;

function placeIn(line: HTMLElement, node: Node, offset: number): number {
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(node, offset);
  return Number(line.dataset.start) + before.toString().length;
}
