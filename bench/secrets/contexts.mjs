/**
 * Contexts in which people write the key of a vendor. `{v}` is the vendor's name as in `abuseipdb`, `{V}` in capitals, `{C}`
 * with one capital, `{x}` the value.
 *
 * The second list is held out: it was written before any measurement, and rules must not be tuned on it.
 */

/** @type {Record<string, string[]>} */
export const CONTEXTS = {
  'v_key: "…"': ['{v}_key: "{x}"', "{v}_key: '{x}',", '{v}_key = "{x}"', '"{v}_key": "{x}",'],
  'const vKey =': ['const {v}Key = "{x}";', "let {v}Key = '{x}'", 'var {v}Key = `{x}`', '  {v}Key: "{x}",'],
  'my v key: …': ['my {v} key: {x}', 'The {v} key: {x}', '{C} key: {x}', 'here is my {v} key {x}'],
  'Using Key=…': ['{v}: Using Key={x}', 'Using Key={x}', 'Using key={x} for {v}', 'Using {v} Key={x}'],
  'v secret … within': [
    'You can find a {v} secret {x} within',
    'You can find a {v} token {x} within the text',
    'You can find a {v} key {x} within',
    'the {v} credential {x} within',
  ],
  'V_API_KEY=': [
    '{V}_API_KEY={x}',
    'export {V}_KEY={x}',
    '{V}_TOKEN="{x}"',
    '{V}_SECRET={x}',
    '{V}_AUTH={x}',
  ],
  JSON: [
    '{"{v}":{"apiKey":"{x}"}}',
    '{"{v}Key":"{x}","region":"eu"}',
    '{"{v}_token": "{x}"}',
    '{\\"{v}Key\\":\\"{x}\\"}',
    '{"{v}": {"auth": "{x}"}}',
  ],
  YAML: [
    '{v}:\n  key: {x}',
    '{v}-key: {x}',
    '{v}:\n  api_key: "{x}"',
    '{v}:\n  - key: "{x}"',
    '{v}_auth: {x}',
  ],
  'TOML, INI': ['{v}_key = "{x}"', '[{v}]\nkey={x}', '[{v}]\nkey = {x}', '[{v}]\ntoken = "{x}"'],
  flags: ['{v} --{v}-key {x} run', '{v} --key={x}', '{v} --api-key {x}', '{v} --token={x}', '{v} --auth {x}'],
  headers: [
    'X-{C}-Key: {x}',
    '-H "X-Auth-Key: {x}"',
    'Authorization: Key {x}',
    "headers['{v}-key'] = '{x}'",
    'X-{C}-Token: {x}',
  ],
  URLs: [
    'https://api.{v}.com/v1?key={x}',
    'https://api.{v}.com/v1?{v}_key={x}&page=2',
    'GET /v2/items?apikey={x} 200',
    'https://api.{v}.com/v1?q=1&token={x}',
  ],
  curl: [
    'curl -H "X-{C}-Key: {x}" https://api.{v}.com',
    'curl https://api.{v}.com/me -H "Authorization: Token {x}"',
    'curl -u {x}: https://api.{v}.com',
    "curl -d 'key={x}' https://api.{v}.com",
  ],
  'CSV, Markdown': [
    'service,key\n{v},{x}\n',
    '| service | key |\n| --- | --- |\n| {v} | {x} |\n',
    '| {v} key | `{x}` |',
    'service;api_key\n{v};{x}\n',
  ],
  logs: [
    'time=10:11 level=info {v}_key={x} port=80',
    '[{v}] authenticating with key {x}',
    'DEBUG {v} key={x} status=200',
    '2026-01-02 INFO {v}Key: {x}',
  ],
  chat: [
    'hey, the {v} key is {x}',
    "here's the {v} token: {x}",
    '@ann {v} key → {x}',
    'ann  10:32 AM\n{v} key `{x}`',
    'use this key for {v}: {x}',
  ],
  Python: ['{V}_KEY = "{x}"', "client = {C}(key='{x}')", "{v}.api_key = '{x}'", '{v}_auth = "{x}"'],
  Go: [
    '{v}Key := "{x}"',
    'const {C}Key = "{x}"',
    '{C}Key: "{x}",',
    'client := {v}.New(key, "{x}") // {v} key',
  ],
  Java: [
    'private static final String {V}_KEY = "{x}";',
    'String {v}Key = "{x}";',
    'config.set{C}Key("{x}");',
    'System.setProperty("{v}.key", "{x}");',
  ],
  'Ruby, PHP, C#': [
    "{C}.key = '{x}'",
    "§{v}Key = '{x}';",
    "'{v}_key' => '{x}',",
    'string {v}Key = "{x}";',
    '{C}Key = "{x}",',
  ],
  'salt, auth, credential, pat': [
    '{v}_salt: "{x}"',
    '{v}Salt = "{x}"',
    '{v}_auth: "{x}"',
    '{v}Credential = "{x}"',
    '{v}-pat: "{x}"',
  ],
};

/** @type {Record<string, string[]>} */
export const HELD_OUT_CONTEXTS = {
  'other languages': [
    'val {v}Key: String = "{x}"',
    'let {v}Key: String = "{x}"',
    'config :{v}, key: "{x}"',
    "my §{v}_key = '{x}';",
    'local {v}_key = "{x}"',
    '{v}_key <- "{x}"',
    'final {v}Key = "{x}";',
    'static let {v}Key = "{x}"',
  ],
  shells: [
    '$env:{V}_KEY = "{x}"',
    'set {V}_KEY={x}',
    'set -x {V}_KEY {x}',
    'setenv {V}_KEY {x}',
    'ENV {V}_KEY {x}',
    'ARG {V}_KEY={x}',
    'docker run -e {V}_KEY={x} img',
    'Environment="{V}_KEY={x}"',
  ],
  markup: [
    '<add key="{C}Key" value="{x}" />',
    '<{v}Key>{x}</{v}Key>',
    '<{v} key="{x}"/>',
    '{v}.key={x}',
    '{"key":"{v}_key","value":"{x}"}',
    '- name: {V}_KEY\n  value: {x}',
  ],
  sentences: [
    'Your {C} API key is: {x}',
    'Key for {v} -> {x}',
    'the key I use for {v} is {x}',
    "Invalid {v} key '{x}'",
    'error: key "{x}" was rejected by {v}',
    'Please rotate the {v} token {x} today.',
  ],
  'requests in code': [
    "headers: { 'x-{v}-key': '{x}' }",
    'headers={"{v}-key": "{x}"}',
    'fetch(`https://api.{v}.com/?key={x}`)',
    'req.Header.Set("X-{C}-Key", "{x}")',
    'http -v api.{v}.com X-{C}-Key:{x}',
    "INSERT INTO settings (name, value) VALUES ('{v}_key', '{x}');",
  ],
};

export const VENDORS =
  `abuseipdb adafruit aftership airbrake alchemy amplitude anypoint apilayer appfollow appsflyer asana
auth0 autopilot avaza axonaut bannerbear baremetrics beamer besttime bitfinex blogger bombbomb bugsnag buttercms calendarific
campayn capsulecrm chartmogul checkout clarifai clearbit clockify cloudmersive codacy coinapi commercejs convertkit copper
countrylayer courier cryptocompare currencylayer dandelion datafire delighted detectify ditto drip dronahq dwolla dynalist
easyinsight eventbrite everhour fastforex faceplusplus feedier fileio finnhub fixer flatio flickr float freshbooks fullstory
gengo geoapify getgeoapi gitter glassnode goodday graphcms gumroad hereapi holidayapi hunter ipapi ipgeolocation ipinfo
ipstack jotform juro keenio kickbox klaviyo languagelayer lessannoyingcrm lob loggly mailerlite marketstack mediastack metrilo
monday moonclerk myfreshworks neutrino newsapi nightfall nutritionix oanda omnisend onfleet opencage opengraphr overloop
pandadoc paymo pexels pipedrive pixabay polygon positionstack postmark prospectcrm purestake qualaroo rapyd raven rentman
restpack rocketreach salesmate scraperapi scrapfly shodan skrapp sparkpost splunk spoonacular strava surveysparrow tatum
thousandeyes timezoneapi tomorrowio tradier trello unsplash uplead urlscan veriphone virustotal walkscore weatherbit
webflow worldweather wrike xero zenserp zipcode`.split(/\s+/);

export const HELD_OUT_VENDORS =
  `acuity apollo blocknative brightlocal buddyns chatwork cliengo clickatell coderwall coveralls
deepai demio docparser edenai enigma etherscan exchangerate fibery flightstats formio gocanvas graphhopper hiveage iconfinder
interseller kairos kanban lastfm lemlist lokalise mindmeister mockaroo nylas numverify openuv parsehub pepipost pushbullet
rawg repairshopr screenshotlayer semaphore signable stormglass teamgate ticketmaster upcdatabase versionone yelp zerobounce`.split(
    /\s+/,
  );

/**
 * Kinds of values, by name.
 *
 * @param {ReturnType<import('./shapes.mjs').makeShapes>} shapes
 * @returns {Record<string, () => string>}
 */
export function makesOf({ alnum, hex, safe, base64, uuid, from, LOWER, UPPER, DIGITS }) {
  return {
    'hex 32': () => hex(32),
    'hex 40': () => hex(40),
    'hex 64': () => hex(64),
    'base62 20': () => alnum(20),
    'base62 24': () => alnum(24),
    'base62 32': () => alnum(32),
    'base62 40': () => alnum(40),
    'base62 64': () => alnum(64),
    'lower 32': () => from(LOWER + DIGITS, 32),
    'upper 24': () => from(UPPER + DIGITS, 24),
    uuid,
    base64: () => base64(32),
    'with - and _': () => safe(36),
    'in groups': () => [4, 4, 4, 4].map((length) => alnum(length + 2)).join('-'),
  };
}

/**
 * Held out, like the second list of contexts.
 *
 * @param {ReturnType<import('./shapes.mjs').makeShapes>} shapes
 * @returns {Record<string, () => string>}
 */
export function heldOutMakesOf({ alnum, hex, safe, base64, from, LOWER, DIGITS, BASE32 }) {
  return {
    'hex 24': () => hex(24),
    'hex 48': () => hex(48),
    'base32 32': () => from(BASE32, 32),
    'lower 40': () => from(LOWER + DIGITS, 40),
    'base62 30': () => alnum(30),
    'with a head': () => `${from(LOWER, 3)}_${alnum(28)}`,
    'urlsafe 43': () => safe(43),
    'in two parts': () => `${alnum(16)}.${alnum(24)}`,
    'base64 24': () => base64(24),
    'number and hex': () => `${from(DIGITS, 6)}-${hex(32)}`,
  };
}
