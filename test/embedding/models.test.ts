import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import { DEFAULT_MODEL_ID, localModel, modelFolder, verifyModel } from '../../src/embedding/index.js';
import { shownText, textKey } from '../../src/embedding/text.js';

const model = localModel(DEFAULT_MODEL_ID);

describe('registry', () => {
  it('names the known models for an unknown one', () => {
    expect(() => localModel('gpt-17')).toThrow(UserError);
    expect(() => localModel('gpt-17')).toThrow(/"gpt-17"/);
  });
});

describe('shownText', () => {
  it('collapses white space and trims', () => {
    expect(shownText('\n a\tb \r\n\n c\u00a0')).toBe('a b c');
  });
});

describe('textKey', () => {
  it('is the same for texts that models see as the same', () => {
    expect(textKey(' The\tproxy \n listens. ')).toEqual(textKey('The proxy listens.'));
  });

  it('distinguishes texts that a model can distinguish', () => {
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
    await expect(verifyModel(model, modelFolder(model))).resolves.toEqual(model.files);
  });

  it('names a missing file', async () => {
    await expect(verifyModel(model, folder)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(join(folder, 'tokenizer.json')),
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
