/**
 * Errors as tools report them, each with a cause. `make` varies what differs between two occurrences: folders, lines, times,
 * ids. Several causes differ only in a name or a number.
 */

const hex = ({ random }, length) =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
const number = ({ random }, most) => 1 + Math.floor(random() * most);
const clock = (seed) =>
  `2026-03-${String(number(seed, 28)).padStart(2, '0')}T1${number(seed, 9)}:${10 + number(seed, 49)}:05.${100 + number(seed, 899)}Z`;

const shell = (name, command, message) => ({
  name,
  make: (seed) => ({
    tool: 'Bash',
    input: { command: command(seed) },
    message: `Exit code ${number(seed, 2)}\n${message(seed)}`,
  }),
});
const edit = (name, file, message) => ({
  name,
  make: (seed) => ({
    tool: 'Edit',
    input: { file_path: `${seed.cwd}/${file}`, old_string: 'a', new_string: 'b' },
    message: `<tool_use_error>${message(seed)}</tool_use_error>`,
  }),
});

const modules = ['left-pad', 'better-sqlite3', '@acme/ui', 'zod'].map((module) =>
  shell(
    `module ${module}`,
    () => `node run.js --with ${module}`,
    (seed) =>
      `node:internal/modules/cjs/loader:${number(seed, 2000)}\n  throw err;\n  ^\n\nError: Cannot find module '${module}'\nRequire stack:\n- ${seed.cwd}/src/index.js\n    at Function._resolveFilename (node:internal/modules/cjs/loader:${number(seed, 2000)}:15)\n  code: 'MODULE_NOT_FOUND'\n\nNode.js v20.${number(seed, 20)}.0`,
  ),
);
const types = [
  [2345, "Argument of type 'string' is not assignable to parameter of type 'number'."],
  [2339, "Property 'total' does not exist on type 'Cart'."],
  [2339, "Property 'tax' does not exist on type 'Cart'."],
  [2304, "Cannot find name 'describe'."],
].map(([code, text]) =>
  shell(
    `tsc ${text}`,
    () => `npx tsc --noEmit --case ${text.length}`,
    (seed) => `src/cart.ts(${number(seed, 300)},${number(seed, 80)}): error TS${code}: ${text}`,
  ),
);
const statuses = [401, 404, 503].map((status) =>
  shell(
    `http ${status}`,
    () => `curl -sf https://api.example.com/v1/items?case=${status}`,
    (seed) =>
      `curl: (22) The requested URL returned error: ${status}\nrequest ${hex(seed, 8)}-${hex(seed, 4)}-4${hex(seed, 3)}-a${hex(seed, 3)}-${hex(seed, 12)}`,
  ),
);
const ports = [3000, 8080].map((port) =>
  shell(
    `port ${port}`,
    () => `PORT=${port} npm start`,
    (seed) =>
      `Error: listen EADDRINUSE: address already in use :::${port}\n    at Server.setupListenHandle [as _listen2] (node:net:${number(seed, 2000)}:16)`,
  ),
);
const tests = ['adds tax', 'rounds once', 'empties the cart'].map((title) =>
  shell(
    `test ${title}`,
    () => `npm test -- -t "${title}"`,
    (seed) =>
      `FAIL  test/cart.test.ts > cart > ${title}\nAssertionError: expected ${number(seed, 50)} to be ${number(seed, 50)}\n ❯ test/cart.test.ts:${number(seed, 90)}:21\n\n Test Files  1 failed | ${number(seed, 30)} passed\n   Start at  1${number(seed, 9)}:0${number(seed, 9)}:11\n   Duration  ${number(seed, 900)}ms`,
  ),
);
const python = ['requests', 'numpy'].map((module) =>
  shell(
    `python ${module}`,
    () => `pytest -q tests/${module}`,
    (seed) =>
      `Traceback (most recent call last):\n  File "${seed.cwd}/tool.py", line ${number(seed, 200)}, in <module>\n    import ${module}\nModuleNotFoundError: No module named '${module}'`,
  ),
);
const files = ['config.json', '.env', 'schema.sql'].map((file) =>
  shell(
    `no ${file}`,
    () => `cat ${file} data`,
    (seed) => `cat: ${seed.cwd}/${file}: No such file or directory`,
  ),
);

export const CAUSES = [
  ...modules,
  ...types,
  ...statuses,
  ...ports,
  ...tests,
  ...python,
  ...files,
  shell(
    'git lock',
    () => 'git commit -m x',
    (seed) =>
      `fatal: Unable to create '${seed.cwd}/.git/index.lock': File exists.\n\nAnother git process seems to be running in this repository`,
  ),
  shell(
    'git push',
    () => 'git push',
    (seed) =>
      `To github.com:acme/app.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:acme/app.git'\nhint: ${hex(seed, 7)}..${hex(seed, 7)}`,
  ),
  shell(
    'lint',
    () => 'npm run lint',
    (seed) =>
      `src/cart.ts:${number(seed, 90)}:${number(seed, 60)} lint/suspicious/noExplicitAny\n\n  Unexpected any. Specify a different type.\n\nChecked ${number(seed, 900)} files in ${number(seed, 300)}ms.`,
  ),
  shell(
    'disk',
    () => 'npm run build',
    (seed) => `Error: ENOSPC: no space left on device, write '/tmp/build-${hex(seed, 8)}/out.js'`,
  ),
  shell(
    'docker',
    () => 'docker compose up -d',
    (seed) =>
      `Error response from daemon: Conflict. The container name "/db" is already in use by container "${hex(seed, 64)}".`,
  ),
  shell(
    'database',
    () => 'npm run migrate',
    (seed) => `${clock(seed)} ERROR: relation "carts" already exists`,
  ),
  shell(
    'rust',
    () => 'cargo build',
    (seed) =>
      `error[E0382]: borrow of moved value: \`cart\`\n  --> src/main.rs:${number(seed, 90)}:${number(seed, 40)}`,
  ),
  shell(
    'go',
    () => 'go build ./...',
    (seed) => `./cart.go:${number(seed, 99)}:${number(seed, 30)}: undefined: Total`,
  ),
  edit('edit cart', 'src/cart.ts', () => 'String to replace not found in file.\nString: return sum'),
  edit('edit tax', 'src/tax.ts', () => 'String to replace not found in file.\nString: const rate'),
  edit('unread', 'src/log.ts', () => 'File has not been read yet. Read it first before writing to it.'),
  edit('unread', 'src/mail.ts', () => 'File has not been read yet. Read it first before writing to it.'),
];
