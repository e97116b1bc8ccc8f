import { describe, expect, it } from 'vitest';
import { linkedFrom } from '../../page/links.js';

const document = (path: string, link: string) => ({ source_key: `doc:p/${path}`, link });

describe('the links of a document', () => {
  const keyOf = linkedFrom({ source_key: 'doc:p/docs/start.md' }, [
    document('docs/Größe.md', './Größe.md'),
    document('docs/a b.md', './a b.md'),
    document('docs/rounding.md', 'rounding'),
    document('docs/100%.md', './100%.md'),
    document('docs/a#b.md', './a%23b.md'),
    document('top.md', '../top.md'),
    document('far/away/notes.md', '/away/notes.md'),
  ]);
  it.each([
    ['Gr%C3%B6%C3%9Fe.md', 'docs/Größe.md'],
    ['a%20b.md#part', 'docs/a b.md'],
    ['./rounding.md', 'docs/rounding.md'],
    ['Rounding?x', 'docs/rounding.md'],
    ['100%25.md', 'docs/100%.md'],
    ['a%23b.md', 'docs/a#b.md'],
    ['../top.md', 'top.md'],
    ['../docs/../top', 'top.md'],
    ['/away/notes.md', 'far/away/notes.md'],
    ['top.md', undefined],
    ['https://project/top.md', undefined],
    ['http:top.md', undefined],
    ['//project/top.md', undefined],
    ['\\\\project\\top.md', undefined],
    ['/\\[', undefined],
    ['%', undefined],
  ])('%s leads to %s', (href, path) => expect(keyOf(href)).toBe(path && `doc:p/${path}`));
});
