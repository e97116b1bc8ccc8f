import { resolve } from 'node:path';
import { expandHome } from '../../../config/texts.js';
import type { Input } from '../../../service/contract/index.js';
import type { CommonFlags } from '../../app/options.js';

export interface PatternFlags extends CommonFlags {
  kind?: Input<'patterns'>['kind'];
  file?: string;
  project?: string;
  limit?: number;
  offset?: number;
  pager: boolean;
}

const SHOWN = 20;
const OCCURRENCES = 5;

export function patternsConfig(
  { kind, file, project, limit = SHOWN, offset = 0 }: PatternFlags,
  home: string,
): Input<'patterns'> {
  return {
    ...{ kind, limit, offset, occurrences: OCCURRENCES },
    file: file === undefined ? undefined : expandHome(file, home),
    directory: project === undefined ? undefined : resolve(expandHome(project, home)),
  };
}
