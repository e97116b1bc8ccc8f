import { afterEach, expect, it } from 'vitest';
import { removeFolder } from '../../support/cleanups.js';
import { makeTree, paths, reasons, survey } from './support.js';

const made: string[] = [];
const tree = (files: Record<string, string>) => {
  const root = makeTree(files);
  made.push(root);
  return root;
};
afterEach(() => {
  for (const root of made.splice(0)) removeFolder(root);
});

const CASSETTE = 'interactions:\n- request:\n    body: null\n';

/** Documentation, whatever its folders are called. */
const DOCUMENTS = [
  ...'cookbook/fixtures/lamps.md docs/cassettes/players.md docs/fixtures.md'.split(' '),
  ...'docs/how-to/fixtures/index.md docs/snapshots/create.md docs/testing/fixtures.rst'.split(' '),
  ...'docs/tests/fixtures/why.md guide/golden/rules.md java/src/contest/resources/a.md'.split(' '),
  ...'java/src/latest/resources/a.md java/src/main/resources/a.md notes/recordings/monday.md'.split(' '),
  'tests/README.md',
];
const DATA = {
  'go/internal/core/fixtures/a.md': '# Tags',
  'go/internal/core/tags_test.go': 'package core',
  'go/testdata/golden.txt': 'x',
  'js/src/__snapshots__/a.md': 'x',
  'js/src/__fixtures__/a/README.md': 'x',
  'ruby/spec/fixtures/vcr_cassettes/a.yml': CASSETTE,
  'ruby/spec/cassettes/a.yml': 'a: 1',
  'tests/cassettes/test_a/b.yaml': CASSETTE,
  'tests/deep/snapshots/a.md': 'x',
  'fixtures/root.md': 'x',
  'java/src/test/resources/a.md': 'x',
  'java/src/integration-test/resources/a.md': 'x',
  'kotlin/src/integrationTest/resources/a.md': 'x',
  'kotlin/src/testFixtures/resources/a.md': 'x',
  'web/cypress/fixtures/a.md': 'x',
  'js/a.snap': 'x',
  'js/b.har': '{}',
  'recorded/a.yaml': `---\nversion: 2\n${CASSETTE.replace('- request', '- id: 0\n      request')}`,
  'recorded/b.yml': `---\nhttp_${CASSETTE}`,
  'recorded/c.yaml': CASSETTE,
};

it('recordings, fixtures and snapshots of tests are left out, documentation with such names stays', async () => {
  const root = tree({ ...Object.fromEntries(DOCUMENTS.map((path) => [path, 'x'])), ...DATA });
  const result = await survey(root);
  expect(paths(result)).toEqual(DOCUMENTS);
  const left = Object.entries(reasons(root, result)).filter(([, reason]) => reason === 'test data');
  expect(left.map(([path]) => path).sort()).toEqual([
    ...'fixtures go/internal/core/fixtures go/testdata java/src/integration-test/resources'.split(' '),
    ...'java/src/test/resources js/a.snap'.split(' '),
    ...'js/b.har js/src/__fixtures__ js/src/__snapshots__'.split(' '),
    ...'kotlin/src/integrationTest/resources kotlin/src/testFixtures/resources'.split(' '),
    ...'recorded/a.yaml recorded/b.yml recorded/c.yaml'.split(' '),
    ...'ruby/spec/cassettes ruby/spec/fixtures tests/cassettes tests/deep/snapshots'.split(' '),
    'web/cypress/fixtures',
  ]);
});

it('a file about recordings is not one', async () => {
  const root = tree({
    'docs/vcr.md': CASSETTE,
    'queue.yml': 'interactions:\n  - click\n',
    'ci.yml': `jobs:\n  a: 1\n${CASSETTE}`,
  });
  expect(paths(await survey(root))).toEqual(['ci.yml', 'docs/vcr.md', 'queue.yml']);
});

it('the patterns of the user take what they name of it, and nothing else', async () => {
  const root = tree(DATA);
  const result = await survey(root, { include: ['tests/cassettes/**', '/recorded/c.yaml', 'js/*.har'] });
  expect(paths(result)).toEqual(['js/b.har', 'recorded/c.yaml', 'tests/cassettes/test_a/b.yaml']);
  expect(reasons(root, result)).toMatchObject({
    'go/testdata/golden.txt': 'test data',
    'ruby/spec/fixtures/vcr_cassettes/a.yml': 'test data',
  });
});
