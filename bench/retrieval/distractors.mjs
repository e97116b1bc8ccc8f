/**
 * Long sources about the same things as the short ones, without their answers: workflows, a changelog, a reference page, a handbook
 * and long sessions. The same seed gives the same text on every machine.
 */
import { createRandom } from '../support/random.mjs';

/** What the short sources are about: a thing, what is done with it, and words beside it. */
const TOPICS = [
  ['nightly job', ['run', 'restart', 'disturb'], ['carriers', 'feed', 'database', 'overnight', 'hour']],
  ['database connections', ['open', 'scale', 'pool'], ['pods', 'replicas', 'clients', 'error', 'server']],
  ['label printer', ['print', 'turn', 'rotate'], ['warehouse', 'labels', 'rolls', 'profile', 'jobs']],
  ['carrier call', ['retry', 'give up', 'queue'], ['attempts', 'parcel', 'timeout', 'manual', 'seconds']],
  ['session cookie', ['sign', 'return', 'send'], ['login', 'payment', 'customers', 'site', 'strict']],
  ['delivery photo', ['render', 'resize', 'keep'], ['width', 'list', 'thumbnail', 'claims', 'original']],
  ['customer import', ['read', 'fail', 'parse'], ['spreadsheet', 'decimals', 'lines', 'export', 'dialect']],
  ['arrival estimate', ['test', 'compare', 'show'], ['clock', 'window', 'minute', 'pipeline', 'customer']],
  ['webhook signature', ['verify', 'sign', 'match'], ['shop', 'body', 'hash', 'secret', 'callback']],
  ['staging server', ['access', 'ask', 'deploy'], ['account', 'keys', 'list', 'machine', 'morning']],
  ['API key', ['rotate', 'limit', 'replace'], ['partner', 'requests', 'minute', 'throttling', 'days']],
  ['worker runtime', ['upgrade', 'pin', 'move'], ['binary', 'module', 'image', 'container', 'shell']],
  [
    'driver app',
    ['support', 'drop', 'release'],
    ['handhelds', 'drivers', 'certificate', 'phones', 'version'],
  ],
  [
    'address search',
    ['rebuild', 'reindex', 'reset'],
    ['register', 'primary', 'replica', 'rural', 'duration'],
  ],
  [
    'invoice total',
    ['round', 'convert', 'sum'],
    ['coin', 'exchange rates', 'currency', 'conversion', 'lines'],
  ],
  ['tracking page', ['cache', 'purge', 'expire'], ['edge', 'public', 'support', 'calls', 'long']],
  ['notification mail', ['send', 'block', 'verify'], ['domain', 'sender', 'password reset', 'link', 'valid']],
  ['log storage', ['delete', 'keep', 'archive'], ['days', 'scans', 'timezone', 'times', 'saved']],
  ['on-call week', ['swap', 'page', 'wake'], ['pager', 'rota', 'depot', 'alarm', 'hotfixes']],
  ['feature rollout', ['wait', 'remove', 'enable'], ['flag', 'checkout', 'depot', 'per cent', 'releases']],
  ['backup', ['store', 'decrypt', 'restore'], ['bucket', 'region', 'whole database', 'night', 'place']],
  ['table split', ['copy', 'switch', 'stop'], ['columns', 'triggers', 'reads', 'state', 'repositories']],
  ['list endpoint', ['page', 'export', 'return'], ['maximum', 'size', 'partners', 'calls', 'cost']],
  ['consignment', ['book', 'hand over', 'duplicate'], ['parcel', 'batteries', 'plane', 'shops', 'twice']],
];
const PLACES = ['Oslo', 'Bergen', 'Rotterdam', 'Aarhus', 'Malmö', 'Turku'];
const PEOPLE = ['Nils', 'Agnes', 'Pekka', 'Lotte', 'Emil'];

/** @returns {{ path: string, text: string }[]} */
export function longDocuments() {
  const workflows = ['nightly', 'release', 'backup', 'labels', 'staging', 'reindex'];
  return [
    { path: 'CHANGELOG.md', text: changelog(createRandom(1)) },
    { path: 'docs/reference.md', text: reference(createRandom(2)) },
    { path: 'docs/handbook.md', text: handbook(createRandom(3)) },
    ...workflows.map((name, at) => ({
      path: `.github/workflows/${name}.yml`,
      text: workflow(name, createRandom(10 + at)),
    })),
  ];
}

/** @returns {{ title: string, turns: string[] }[]} */
export const longSessions = () => Array.from({ length: 10 }, (_, at) => longSession(createRandom(30 + at)));

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const many = (count, of) => Array.from({ length: count }, (_, at) => of(at));

/** A topic with one of its verbs, and two of its words. */
function about({ pick }) {
  const [thing, verbs, words] = pick(TOPICS);
  const first = pick(words);
  const second = pick(words.filter((word) => word !== first));
  return { thing, verb: pick(verbs), first, second };
}

function changelog(random) {
  const { between, pick } = random;
  const line = () => {
    const { thing, verb, first, second } = about(random);
    return pick([
      `- **${thing}**: ${verb} again when the ${first} of the ${second} changes (#${between(100, 2999)})`,
      `- ${thing}: a log line about the ${first}, and a clearer error for the ${second} (#${between(100, 2999)})`,
      `- Fix: the ${thing} could ${verb} without the ${first} (#${between(100, 2999)})`,
      `- The ${first} of the ${thing} is shown beside the ${second}`,
    ]);
  };
  const version = (at) =>
    [
      `## [${5 - Math.floor(at / 16)}.${15 - (at % 16)}.0] - ${2026 - Math.floor(at / 20)}-0${1 + (at % 9)}-1${at % 10}`,
      ...['Added', 'Changed', 'Fixed'].flatMap((part) => [
        '',
        `### ${part}`,
        '',
        ...many(between(2, 5), line),
      ]),
      '',
    ].join('\n');
  return `# Changelog\n\n${many(64, version).join('\n')}`;
}

function reference(random) {
  const { between } = random;
  const section = ([thing, verbs, words]) => {
    const name = thing.toLowerCase().replaceAll(' ', '-');
    const flags = verbs.flatMap((verb) =>
      words.map((word) => {
        const flag = `--${name}-${verb}-${word}`.replaceAll(' ', '-');
        return `| \`${flag}\` | number | ${between(0, 9)} | How the ${thing} treats the ${word} when it must ${verb} |`;
      }),
    );
    return `## ${capital(thing)}\n\n| flag | type | default | |\n| --- | --- | --- | --- |\n${flags.join('\n')}\n`;
  };
  return `# Reference of all settings\n\n${TOPICS.map(section).join('\n')}`;
}

function handbook(random) {
  const { pick, between } = random;
  const sentence = (thing, verbs, words) => {
    const [first, second] = [pick(words), pick(words)];
    return pick([
      `Whoever wants to ${pick(verbs)} the ${thing} looks at the ${first} before the ${second}.`,
      `The ${thing} is explained to every new colleague together with the ${first}, since the ${second} depends on it.`,
      `If the ${first} is missing, the ${thing} writes a line about the ${second} and goes on.`,
      `In ${pick(PLACES)} the ${thing} has its own page about how to ${pick(verbs)} it, with the ${first} and the ${second}.`,
      `Ask in the channel before you ${pick(verbs)} anything of the ${thing}: the ${first} is watched by another team.`,
    ]);
  };
  const chapter = ([thing, verbs, words]) => {
    const paragraph = () => many(between(4, 7), () => sentence(thing, verbs, words)).join(' ');
    return `## ${capital(thing)}\n\n${many(4, paragraph).join('\n\n')}\n`;
  };
  return `# Handbook of the parcel hub\n\n${TOPICS.map(chapter).join('\n')}`;
}

function workflow(name, random) {
  const { between, pick } = random;
  const step = () => {
    const { thing, verb, first, second } = about(random);
    return [
      `      - name: ${capital(verb)} the ${thing}, with ${first} and ${second}`,
      `        run: ./scripts/${verb}-${thing}.sh --${first} "$${second.toUpperCase()}"`.replace(
        /(?<=scripts\/)[^.]+/,
        (path) => path.replaceAll(' ', '-'),
      ),
      '        env:',
      `          ${first.toUpperCase().replaceAll(' ', '_')}: \${{ secrets.${second.toUpperCase().replaceAll(' ', '_')} }}`,
    ].join('\n');
  };
  const job = (at) =>
    [
      `  ${name}-${at}:`,
      '    runs-on: ubuntu-latest',
      `    timeout-minutes: ${between(5, 60)}`,
      '    steps:',
      '      - uses: actions/checkout@v4',
      ...many(between(6, 10), step),
    ].join('\n');
  return `name: ${name}\n\non:\n  push:\n    branches: [main]\n  workflow_dispatch:\n\njobs:\n${many(pick([5, 6, 7]), job).join('\n')}\n`;
}

function longSession(random) {
  const { pick, between } = random;
  const turn = (at) => {
    const { thing, verb, first, second } = about(random);
    return at % 2 === 0
      ? pick([
          `What do we know about the ${thing}? ${pick(PEOPLE)} says the ${first} looks odd next to the ${second}.`,
          `Let us go on with the ${thing}. How should it ${verb} when the ${first} is late?`,
          `Look at the ${first} of the ${thing} in ${pick(PLACES)}, please, and at the ${second} while you are there.`,
        ])
      : pick([
          `I read the code of the ${thing}. To ${verb} it, the ${first} is loaded first, then the ${second}; the log shows both in that order. I would leave it and write a test around the ${first}.`,
          `The ${thing} is in three files. Two of them only pass the ${first} on; the third one decides whether to ${verb}, from the ${second} and from the place (${pick(PLACES)}).`,
          `Done: the ${thing} now reports the ${first}, and ${pick(PEOPLE)} gets a note when the ${second} is empty. The tests about how to ${verb} it pass.`,
        ]);
  };
  const { thing, first } = about(random);
  return { title: `The ${thing} and the ${first}`, turns: many(between(25, 35) * 2, turn) };
}
