import { Document, isPair, isScalar, isSeq, visit } from 'yaml';
import type { Config } from './settings.js';

/** The current settings in the form of the configuration file. */
export function asFile({
  palace,
  model,
  search,
  wakeUp,
  privacy,
  timezone,
  uses,
  broker,
  summary,
}: Config): Record<string, unknown> {
  return {
    palace,
    model,
    search: {
      limit: search.limit,
      rank: search.rank,
      by: search.by,
      min_score: search.minScore,
      weights: search.weights,
      half_life: durationOf(search.halfLifeDays),
      cold: search.cold,
    },
    wake_up: {
      tokens: wakeUp.tokens,
      identity: wakeUp.identity,
      patterns: wakeUp.patterns,
      prompt: wakeUp.prompt,
    },
    privacy: { exclude_patterns: privacy.excludePatterns, rules: privacy.rules },
    timezone: timezone || null,
    uses,
    broker: {
      use: broker.use,
      idle: idleOf(broker.idleMinutes),
      watch: broker.watchMinutes === 0 ? 'off' : idleOf(broker.watchMinutes),
    },
    summary: {
      url: summary.url || null,
      model: summary.model || null,
      token_file: summary.tokenFile || null,
      context: summary.context,
      daily_budget: summary.dailyBudget,
      auto: summary.auto,
    },
  };
}

/** The same as YAML. With `origins`, a comment contains the origin of each value: before a list, after other values. */
export function asYaml(config: Config, options: { origins: boolean }): string {
  const document = new Document(asFile(config), { aliasDuplicateObjects: false });
  if (options.origins) {
    visit(document, {
      Pair: (_, { key, value }, around) => {
        if (!isScalar(key)) return;
        const sections = around.filter(isPair).map((pair) => String(pair.key));
        const origin = config.origins.get([...sections, key.value].join('.'));
        if (origin === undefined) return;
        if (isSeq(value)) key.commentBefore = ` ${origin}`;
        else if (isScalar(value)) value.comment = ` ${origin}`;
      },
    });
  }
  return document.toString({ lineWidth: 0 }).trimEnd();
}

function durationOf(days: number): string {
  return Number.isInteger(days) ? `${days}d` : `${days * 24}h`;
}

function idleOf(minutes: number): string {
  return Number.isInteger(minutes) ? `${minutes}m` : `${Math.round(minutes * 60)}s`;
}
