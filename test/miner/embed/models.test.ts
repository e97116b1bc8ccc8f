import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/common/errors.js';
import {
  DEFAULT_MODEL_ID,
  embeddedText,
  localModel,
  modelFolder,
  verifyModel,
} from '../../../src/miner/embed/index.js';

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

  it('leaves white space alone for a model that knows it', () => {
    expect(embeddedText(' a\n', { ...model, collapseWhitespace: false }, 'query')).toBe(' a\n');
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
