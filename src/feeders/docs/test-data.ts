import type { Dirent } from 'node:fs';
import { matcher } from './name-patterns.js';

/** Recordings of HTTP, fixtures and snapshots: the user's patterns can include them. */
export const TEST_DATA_REASON = 'test data';

const names = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Folders that only tests have. */
export const TEST_DATA_FOLDERS = names(`
  __snapshots__ __fixtures__ __recordings__ __cassettes__ vcr_cassettes testdata test-data test_data test-fixtures
  test_fixtures
`);

/** Ordinary words: such a folder is test data below or next to tests, unless it is part of the documentation. */
const ORDINARY_FOLDERS = names(`
  fixtures fixture cassettes recordings snapshots snapshot goldens golden
`);

const TEST_FOLDERS = names('test tests __tests__ spec specs e2e cypress playwright');

/** Names of tests, beside a folder with an ordinary name. */
const TEST_FILES = names(`
  *_test.go *_test.py *_test.rb *_test.exs *_test.dart *_spec.rb test_*.py conftest.py *.test.js *.test.jsx *.test.mjs
  *.test.ts *.test.tsx *.spec.js *.spec.ts *.spec.tsx *test.java *tests.cs *test.php
`);

/** Where Maven and Gradle look for the data of tests. */
const RESOURCES = /(?:^|\/)src\/(?:test|it|e2e|test[A-Z-][\w-]*|[a-z][\w-]*(?:Test|-test)s?)\/resources$/;

const DOCUMENTATION = names('docs doc documentation guide guides manual content website site blog notes');

const isSure = matcher(TEST_DATA_FOLDERS);
const isOrdinary = matcher(ORDINARY_FOLDERS);
const isTestFolder = matcher(TEST_FOLDERS);
const isTest = matcher([...TEST_FOLDERS, ...TEST_FILES]);
const isDocumentation = matcher(DOCUMENTATION);

/**
 * Whether a folder contains data of tests.
 *
 * @param relativePath with `/`
 * @param beside the items of the folder around it
 */
export function isTestData(name: string, relativePath: string, beside: readonly Dirent[]): boolean {
  if (isSure(name) || RESOURCES.test(relativePath)) return true;
  if (!isOrdinary(name)) return false;
  const above = relativePath.split('/').slice(0, -1);
  if (above.some(isDocumentation)) return false;
  return above.some(isTestFolder) || beside.some((item) => isTest(item.name));
}

/** The beginning of a cassette of vcrpy, pytest-recording, go-vcr or VCR (Ruby). */
const CASSETTE =
  /^\ufeff?(?:(?:---|#[^\n]*|version:[^\n]*)?[ \t]*\r?\n)*(?:http_)?interactions:[ \t]*\r?\n[ \t]*-[ \t]+(?:id:[^\n]*\n[ \t]+)?(?:request|response|recorded_at):/;

/** Whether the beginning of a file is that of a recording of HTTP. */
export const isCassette = (text: string): boolean => CASSETTE.test(text);
