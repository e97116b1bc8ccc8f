// SQL has only bound parameters: an expression in a template with SQL is one of our constants, or is in this list with the
// reason why it never contains text of a user, a file or a database.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');

const ALLOWED = {
  'feeders/mempalace/rows.ts': {
    "values.join(', ')": 'names of ours',
    "keys.map(() => '?').join(', ')": 'question marks',
  },
  'feeders/session/layouts.ts': {
    table: 'a name of letters, digits and _, quoted',
    each: 'of two names',
    id: 'of two names',
    count: 'SQL of this file',
    isRead: 'SQL of this file',
  },
  'feeders/session/rows.ts': {
    table: 'of two names',
    "this.sessionsIn('session')": 'SQL of tables.ts',
    'damaged(NO_ROLE)': 'SQL of this file',
    'damaged(UNFINISHED)': 'SQL of this file',
    "this.newest(this.#times('message'))": 'SQL of tables.ts',
    "this.newest(this.#times('part'))": 'SQL of tables.ts',
    'this.size': 'SQL of this room',
    time: 'of two names',
    owner: 'of two names',
  },
  'feeders/session/sequence.ts': {
    "or('type', fromData('$.type'))": 'SQL of this file',
    "or('seq', 'rowid')": 'SQL of this file',
    "or('time_created', fromData('$.time.created'))": 'SQL of this file',
    "or('time_updated', 'NULL')": 'SQL of this file',
    "columns.has('type') ? 'type' : \"'user'\"": 'of two names',
    "columns.has('time_created') ? 'time_created' : 'NULL'": 'of two names',
    data: 'of names of ours',
    order: 'of names of ours',
    table: 'a name of ours, or session_v and a number',
    isWaiting: 'SQL of this file',
    'this.sessionsIn(table)': 'SQL of tables.ts',
    'this.messages': 'SQL of this file',
    "this.newest(['time_created', 'time_updated'])": 'SQL of tables.ts',
    'this.size': 'SQL of this room',
  },
  'feeders/session/tables.ts': {
    "columns.join(', ')": 'names of ours that the table has',
    table: 'a name of letters, digits and _, quoted',
    "this.believable('time_created')": 'SQL of this file',
    "known.join(' ')": 'SQL of this file',
    'this.newest(times)': 'SQL of this file',
    first: 'SQL of this file',
    'this.size': 'SQL of this room',
    "late.join(' OR ')": 'SQL of this file',
    relation: 'SQL of this room',
    'this.messages': 'SQL of this room',
    sql: 'SQL of this file',
  },
  'store/tables/activity.ts': { 'among.sql': 'a condition with bound parameters' },
  'store/tables/page.ts': {
    columns: 'SQL of this room',
    from: 'SQL of this room',
    order: 'SQL of this room',
  },
  'store/tables/diary.ts': { sql: 'a condition with bound parameters' },
  'store/tables/drawers.ts': { "Array(rows).fill(ROW).join(', ')": 'question marks' },
  'store/tables/facts.ts': { conditions: 'SQL of this file' },
  'store/tables/forgetting.ts': { 'COLUMNS[by]': 'names of ours' },
  'store/db/integrity.ts': {
    quoted: "a table's name, quoted, from the schema",
    pragma: 'of two names',
  },
  'store/index/lexical.ts': {
    gate: 'SQL of this file',
    restriction: 'a condition with bound parameters',
    "weights.join(', ')": 'numbers of ours',
    containing: 'names of ours',
    'among.sql': 'a condition with bound parameters',
    bytes: 'a number of ours',
  },
  'store/index/filter.ts': { "ends('t.path')": 'SQL of this file' },
  'store/index/word-counts.ts': { names: 'names of ours', 'names.map((name) =>': 'names of ours' },
  'store/tables/listing.ts': { 'among.sql': 'a condition with bound parameters' },
  'store/db/migrations/1-palace.ts': { dimension: 'a number' },
  'store/tables/priorities.ts': { what: 'of two names' },
  'store/db/sql.ts': { from: 'SQL of the caller' },
  'store/tables/recent-work.ts': { 'among.sql': 'a condition with bound parameters' },
  'store/tables/reembedding.ts': { used: 'SQL of this file' },
  'store/db/space.ts': { waitMs: 'a number', patience: 'a number' },
  'store/tables/reading.ts': {
    'among.sql': 'a condition with bound parameters',
    by: 'of two names',
    condition: 'SQL of this file',
    match: 'SQL of this file',
  },
  'store/index/drawer-vectors.ts': { where: 'SQL of this file' },
  'store/index/vectors.ts': { table: 'of two names' },
  'store/tables/wake-up.ts': {
    sql: 'a condition with bound parameters',
    'among.sql': 'a condition with bound parameters',
    where: 'SQL of this file',
    "drawerAt('DESC')": 'SQL of this file',
    "drawerAt('ASC')": 'SQL of this file',
    order: 'SQL of this file',
  },
};

const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|ATTACH|VACUUM|WHERE|FROM)\b/;
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

const problems = [];
const used = new Set();
for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('.ts')) continue;
  const text = readFileSync(join(src, file), 'utf8');
  for (const [, template] of text.matchAll(/`((?:[^`\\]|\\.)*)`/g)) {
    if (!SQL.test(template)) continue;
    // A nested template cannot be parsed here: its beginning must be in the list.
    for (const [, found] of template.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)(?:\}|$)/g)) {
      const expression = found.trim();
      if (CONSTANT.test(expression)) continue;
      if (ALLOWED[file]?.[expression] === undefined)
        problems.push(
          `src/${file}: SQL with \${${expression}}: bind it, or say in scripts/check-sql.mjs why it is safe`,
        );
      else used.add(`${file} ${expression}`);
    }
  }
  for (const [call] of text.matchAll(
    /\.(?:prepare|exec|pragma|get|all|values?|has|run)(?:<[^()]*>)?\(\s*(?:'[^'\n]*'|"[^"\n]*")\s*\+/g,
  ))
    problems.push(`src/${file}: SQL put together with +: ${call}`);
}
for (const [file, expressions] of Object.entries(ALLOWED))
  for (const expression of Object.keys(expressions))
    if (!used.has(`${file} ${expression}`))
      problems.push(`scripts/check-sql.mjs: nobody needs ${file}: ${expression}`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
