/** A document of several drawers; all texts are different. */
export const wordyDocument = (seed: number): string =>
  Array.from({ length: 3 }, (_, part) => {
    const words = Array.from({ length: 25 }, (_, i) => `w${(seed * 7919 + part * 104_729 + i * 31) % 9_973}`);
    return `## Part ${part} of ${seed}\n\n${words.join(' ')}\n`;
  }).join('\n');
