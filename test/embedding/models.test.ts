import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import {
  DEFAULT_MODEL_ID,
  LOCAL_MODELS,
  localModel,
  modelFolder,
  verifyModel,
} from '../../src/embedding/index.js';
import { embeddedText, textKey } from '../../src/embedding/text.js';

const model = localModel(DEFAULT_MODEL_ID);

describe('registry', () => {
  it('names the known models when asked for another', () => {
    expect(() => localModel('gpt-17')).toThrow(UserError);
    expect(() => localModel('gpt-17')).toThrow(/"gpt-17"/);
  });
});

describe('embeddedText', () => {
  it('collapses white space and trims', () => {
    expect(embeddedText('\n a\tb \r\n\n c\u00a0', model, 'passage')).toBe('a b c');
  });

  it('puts the prefix of the role first', () => {
    const prefixed = { ...model, prefixes: { query: 'query: ', passage: 'passage: ' } };
    expect(embeddedText(' a ', prefixed, 'query')).toBe('query: a');
    expect(embeddedText(' a ', prefixed, 'passage')).toBe('passage: a');
  });
});

describe('textKey', () => {
  const e5 = localModel('multilingual-e5-small');

  it('is the same for every model, with prefixes or without', () => {
    const shown = LOCAL_MODELS.map((each) => {
      const text = embeddedText(' The\tproxy \n listens. ', each, 'passage');
      expect(text.startsWith(each.prefixes.passage)).toBe(true);
      return textKey(text.slice(each.prefixes.passage.length)).toString('hex');
    });
    expect(new Set(shown)).toEqual(new Set([textKey('The proxy listens.').toString('hex')]));
    expect(e5.prefixes.passage).not.toBe('');
  });

  it('tells texts apart that a model can tell apart', () => {
    expect(textKey('a b')).not.toEqual(textKey('ab'));
    expect(textKey('passage: a')).not.toEqual(textKey('a'));
    expect(textKey('')).toEqual(textKey(' \n'));
  });
});

describe('verifyModel', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mempalace-model-'));
    copyFileSync(join(modelFolder(model), model.onnxFile), join(folder, model.onnxFile));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('accepts the shipped files', async () => {
    await expect(verifyModel(model, modelFolder(model))).resolves.toBeUndefined();
  });

  it('names a missing file', async () => {
    await expect(verifyModel(model, folder)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(join(folder, model.tokenizerFile)),
    });
  });

  it('names a damaged file', async () => {
    appendFileSync(join(folder, model.onnxFile), 'x');
    await expect(verifyModel(model, folder)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(join(folder, model.onnxFile)),
      hint: expect.stringContaining('models/use-lite'),
    });
  });
});
