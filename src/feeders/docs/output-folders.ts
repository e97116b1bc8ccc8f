import type { Dirent } from 'node:fs';
import { matcher } from './name-patterns.js';

/**
 * Folders whose names are ordinary words, which tools also give to dependencies and build results: `docs/build` may be
 * a chapter. Such a folder is skipped only with evidence, in the folder around it or in the folder itself.
 */
interface OutputFolder {
  names: readonly string[];
  /** Files next to the folder, of tools that make it. Folders that git tracks were not made: they are documents. */
  beside: readonly string[];
  /** Names in the folder that only tools give. They decide even if git tracks the folder. */
  inside: readonly string[];
  /** Projects commit this third-party code, so git's list says nothing. */
  committed?: true;
}

export const OUTPUT_REASON = 'dependency or build folder';

const names = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Patterns as in the table of classes. */
export const OUTPUT_FOLDERS: readonly OutputFolder[] = [
  {
    names: ['target'],
    beside: names('cargo.toml pom.xml build.sbt project.clj dbt_project.yml'),
    inside: names(`
      cachedir.tag .rustc_info.json classes test-classes generated-sources maven-status surefire-reports scala-*
      run_results.json *.jar *.war
    `),
  },
  {
    names: ['build'],
    beside: names(`
      package.json makefile gnumakefile cmakelists.txt meson.build build.gradle build.gradle.kts build.xml setup.py
      setup.cfg pyproject.toml pubspec.yaml conf.py *.xcodeproj
    `),
    inside: names(`
      cmakecache.txt cmakefiles build.ninja meson-info cachedir.tag classes intermediates bdist.* lib.*-* doctrees
      .doctrees asset-manifest.json index.html *.o *.map
    `),
  },
  {
    names: ['dist'],
    beside: names(`
      package.json makefile setup.py setup.cfg pyproject.toml *.cabal goreleaser.y*ml .goreleaser.y*ml
    `),
    inside: names('index.html artifacts.json *.js *.mjs *.cjs *.css *.map *.whl *.tar.gz *.tgz *.jar'),
  },
  {
    names: ['coverage'],
    beside: names(`
      package.json makefile composer.json gemfile go.mod setup.py setup.cfg pyproject.toml pubspec.yaml phpunit.xml*
    `),
    inside: names(`
      lcov.info lcov-report coverage-*.json clover.xml coverage.xml *cobertura*.xml
      .resultset.json .last_run.json index.html
    `),
  },
  {
    names: ['vendor'],
    beside: names('go.mod composer.json gemfile *.gemspec cargo.toml package.json cmakelists.txt'),
    inside: names('modules.txt autoload.php bundle github.com golang.org *.js *.css'),
    committed: true,
  },
  { names: ['venv'], beside: [], inside: names('pyvenv.cfg bin lib conda-meta') },
  { names: ['pods'], beside: ['podfile'], inside: names('manifest.lock pods.xcodeproj'), committed: true },
  { names: ['carthage'], beside: names('cartfile'), inside: names('build checkouts'), committed: true },
  {
    names: ['cmake-build-*'],
    beside: ['cmakelists.txt'],
    inside: names('cmakecache.txt cmakefiles build.ninja'),
  },
  { names: ['bazel-*'], beside: names('module.bazel workspace workspace.bazel'), inside: [] },
];

type Test = (items: readonly Dirent[]) => boolean;

interface OutputRule {
  isBeside: Test;
  isInside: Test;
  committed: boolean;
}

const isOrdinary = matcher(OUTPUT_FOLDERS.flatMap((each) => each.names));
const RULES = OUTPUT_FOLDERS.map((each) => ({
  test: matcher(each.names),
  isBeside: anyOf(each.beside),
  isInside: anyOf(each.inside),
  committed: each.committed === true,
}));

/** The evidence that a folder of this name needs to be skipped; undefined for other names. */
export function outputRule(name: string): OutputRule | undefined {
  return isOrdinary(name) ? RULES.find((rule) => rule.test(name)) : undefined;
}

function anyOf(patterns: readonly string[]): Test {
  const test = matcher(patterns);
  return (items) => items.some((item) => test(item.name));
}
