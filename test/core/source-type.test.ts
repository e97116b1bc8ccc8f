import { describe, expect, it } from 'vitest';
import { declaredTypeOf, typeName } from '../../src/core/source-type.js';

describe('the type that a document declares', () => {
  it.each([
    ['a.md', '---\ntype: palace\n---\n', 'palace'],
    ['a.md', '---\r\ntitle: A\r\ntype: "Principle card" # draft\r\n---\r\n', 'principle-card'],
    ['a.mdx', "---\ntype: 'failure_pattern'\n---\n", 'failure-pattern'],
    ['a.md', '+++\ntype = "note"\n+++\n', 'note'],
    ['a.md', '+++\n[extra]\ntype = "note"\n+++\n', null],
    ['a.md', '---\nextra:\n  type: note\n---\n', null],
    ['a.md', '---\ntype:\n---\n', null],
    ['a.md', '---\ntype: [a, b]\n---\n', null],
    ['a.md', '---\ntype: note\nno end of it', null],
    ['a.md', `---\n${'#\n'.repeat(5_000)}type: note\n---\n`, null],
    // In a YAML file it is ordinary data.
    ['deployment.yaml', '---\ntype: note\n---\n', null],
  ])('%s, %j: %s', (name, text, type) => {
    expect(declaredTypeOf(name, text)).toBe(type);
  });

  it('has one spelling, of a limited length', () => {
    expect(['Principle card', ' principle_card', 'PRINCIPLE-CARD'].map(typeName)).toEqual(
      Array(3).fill('principle-card'),
    );
    expect(typeName('x'.repeat(1_000))).toHaveLength(64);
    expect(typeName('–')).toBe('');
  });
});
