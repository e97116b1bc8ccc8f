import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parsed } from '../../src/mcp/invoke.js';
import { ALL_TOOLS, chooseTools } from '../../src/mcp/registry.js';
import { listed } from '../../src/mcp/toolbox.js';
import { estimateTokens } from '../../src/reading/index.js';

const names = (choice: string) => chooseTools(choice).map(({ name }) => name);

describe('the selection of tools', () => {
  it('is core, all, names with or without their prefix, or several of these', () => {
    expect(names('all')).toEqual(ALL_TOOLS.map(({ name }) => name));
    expect(names('core')).toContain('mempalace_search');
    expect(names('core')).not.toContain('mempalace_delete_drawer');
    expect(names('search')).toEqual(['mempalace_search']);
    expect(names('collections')).toContain('mempalace_build_collection');
    expect(names('core,tasks')).toContain('mempalace_task_take');
    for (const apart of ['mempalace_build_collection', 'mempalace_task_take'])
      expect(names('core')).not.toContain(apart);
    expect(names('mempalace_mine, search')).toEqual(['mempalace_search', 'mempalace_mine']);
    expect(names('core,delete_drawer').sort()).toEqual([...names('core'), 'mempalace_delete_drawer'].sort());
    for (const wrong of ['', ' , ', 'serach', 'core,nothing'])
      expect(() => chooseTools(wrong), wrong).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('every tool', () => {
  it('has a unique name, and a short description', () => {
    expect(new Set(ALL_TOOLS.map(({ name }) => name)).size).toBe(ALL_TOOLS.length);
    for (const { name, title, description } of ALL_TOOLS) {
      expect(name).toMatch(/^mempalace_[a-z_]+$/);
      expect(title.length, name).toBeLessThan(60);
      expect(description.length, name).toBeGreaterThan(30);
      expect(description.length, name).toBeLessThan(400);
    }
  });

  it('has schemas that clients understand', () => {
    for (const tool of ALL_TOOLS) {
      const { inputSchema, annotations } = listed(tool);
      expect(inputSchema.type, tool.name).toBe('object');
      for (const [name, property] of Object.entries(inputSchema.properties ?? {})) {
        // An agent cannot fill a property without a type.
        expect(Object.keys(property as object), `${tool.name} ${name}`).toContain('type');
      }
      expect(annotations?.readOnlyHint, tool.name).toBe(!tool.writes);
      expect(annotations?.destructiveHint, tool.name).toBe(
        tool.writes ? tool.destructive === true : undefined,
      );
    }
  });

  it('costs little: those of core together less than 2,500 tokens, all that a client is sent counted', () => {
    expect(estimateTokens(JSON.stringify(chooseTools('core').map(listed)))).toBeLessThan(2_500);
  });

  it('accepts arguments of its schema, and treats empty texts as omitted', () => {
    const search = ALL_TOOLS.find(({ name }) => name === 'mempalace_search');
    if (search === undefined) throw new Error('there is no search');
    const { input } = parsed(search, { query: 'x', wing: '', limit: '7' });
    expect(input).toMatchObject({ query: 'x', limit: 7, offset: 0 });
    expect(input.wing).toBeUndefined();
    expect(() => parsed(search, { query: 'x', limit: 0 })).toThrow('limit');
    expect(z.object({}).safeParse(input).success).toBe(true);
  });
});
