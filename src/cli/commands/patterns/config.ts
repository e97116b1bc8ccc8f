import { resolve } from 'node:path';
import { expandHome } from '../../../config/texts.js';
import { OCCURRENCES_SHOWN } from '../../../presentation/patterns.js';
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

export function patternsConfig(
  { kind, file, project, limit = SHOWN, offset = 0 }: PatternFlags,
  home: string,
): Input<'patterns'> {
  return {
    ...{ kind, limit, offset, occurrences: OCCURRENCES_SHOWN },
    file: file === undefined ? undefined : expandHome(file, home),
    directory: project === undefined ? undefined : resolve(expandHome(project, home)),
  };
}
