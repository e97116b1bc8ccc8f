import { describe, expect, it } from 'vitest';
import { addressOf, digestTokens } from '../../../../src/cli/commands/summarise/make.js';
import { estimateTokens } from '../../../../src/core/tokens.js';
import { instructionsFor, SUMMARY_TOKENS } from '../../../../src/knowledge/summaries/index.js';

const SETTINGS = {
  ...{ url: 'https://llm.example/v1', model: 'small', tokenFile: '/keys/llm', auto: 'off' as const },
  ...{ context: 4096, dailyBudget: 100 },
};

describe('the model that is asked', () => {
  it('is the one of the settings, with the key in its file', () => {
    const { url, model, token } = addressOf(SETTINGS, (file) => `key of ${file}`);
    expect([url.href, model, token]).toEqual([
      'https://llm.example/v1/chat/completions',
      'small',
      'key of /keys/llm',
    ]);
    expect(addressOf({ ...SETTINGS, tokenFile: '' }, () => 'unread').token).toBeUndefined();
  });

  it('is none before an address and a name are set', () => {
    for (const missing of [{ url: '' }, { model: '' }])
      expect(() => addressOf({ ...SETTINGS, ...missing }, () => 'key')).toThrow(
        'no model is set for summaries',
      );
  });

  it('is not asked without the key that is named', () => {
    expect(() => addressOf(SETTINGS, () => undefined)).toThrow(
      'summary.token_file: there is no file /keys/llm',
    );
  });

  it('can read the question and write the answer in the smallest context', () => {
    for (const context of [1024, 4096, 128_000]) {
      const digest = digestTokens(context);
      expect(digest).toBeGreaterThan(200);
      const question = instructionsFor('word '.repeat((digest * 4) / 5)).map(({ content }) => content);
      expect(estimateTokens(question.join('\n')) + SUMMARY_TOKENS).toBeLessThan(context);
    }
  });
});
