import { Document, isPair, isScalar, isSeq, visit } from 'yaml';
import { type Config, nest, placeOf, valueAt } from './settings.js';
import { rowOf, SETTING_KEYS } from './table.js';

/** The current settings in the form of the configuration file; null: there is none. */
export function asFile(config: Config): Record<string, unknown> {
  const said = SETTING_KEYS.map((key): [string, unknown] => {
    const value = valueAt(config, placeOf(key));
    const { write } = rowOf(key);
    return [key, write === undefined ? (value === '' ? null : value) : write(value)];
  });
  return nest(said);
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
