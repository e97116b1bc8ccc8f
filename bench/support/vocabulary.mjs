/** Word lists that `prose.mjs` builds its sentences and code from. */

const words = (text) => text.trim().split(/\s+/);

/** Stems of identifiers. */
export const STEMS = words(`
  account address amount archive artifact asset audit backup balance batch billing branch bucket budget buffer
  cache calendar carrier cart catalog channel charge checkout client cluster commit config contact contract
  cookie coupon currency cursor customer dashboard dataset delivery deploy device digest document domain draft
  email endpoint event export feature feed filter folder gateway graph header heartbeat history image import
  index ingest inventory invoice job journal label ledger license listing locale lock login mailbox manifest
  member message metric migration mirror module monitor notice object offer order outbox package page parcel
  partition password patch payload payment permission pipeline plugin policy price printer product profile
  project proxy queue quota rate receipt record refund region registry release replica report request reservation
  resource response retry review role route rule scanner schedule schema search secretary segment sensor session
  setting shard shipment signal snapshot source stream subscription summary supplier survey tag task tax template
  tenant theme thread ticket timer token topic trace transfer trigger upload user vendor version voucher wallet
  warehouse webhook widget worker workspace zone
`);

export const ACTIONS = words(`
  apply assign attach build cancel check claim clean close collect compare compute convert copy create decode
  delete describe detect diff drain emit encode enqueue expand expire export extract fetch filter find flush
  format group handle import infer init insert inspect join list load lock map mark merge migrate move normalise
  notify open pack parse patch persist plan poll publish purge push read rebuild reconcile refresh register
  reject release render replace report reset resolve restore resume retry rotate route sample save scan schedule
  select send serialise sort split start store stream strip submit sync test trim unlock update upload validate
  verify wait watch wrap write
`);

export const ADJECTIVES = words(`
  accidental additional async broken careful cheap circular clean confusing consistent corrupt costly current
  dangling dead deep default defensive deprecated duplicate early empty exact existing expensive explicit external
  failing fast final flaky fragile generic global harmless hidden idempotent implicit inconsistent incremental
  internal invalid late lazy legacy local locked long loose malformed manual minimal misleading missing mutable
  narrow nested noisy nullable obsolete optional partial plain public quiet random readable redundant remote
  reliable robust second shared short silent slow small stale static strict subtle surprising synchronous temporary
  tight tiny typed unexpected unique unrelated unsafe unused upstream useful valid verbose visible wrong
`);

export const TECHNOLOGIES = words(`
  Postgres SQLite Redis Kafka RabbitMQ nginx Docker Kubernetes Terraform Ansible Prometheus Grafana GraphQL gRPC
  OpenAPI Webpack Vite React Vue Svelte Express Fastify Django Flask FastAPI Rails Spring Go Rust TypeScript Python
  Java Kotlin Bash systemd launchd cron GitLab Gitea Jenkins Playwright Cypress pytest Vitest Jest ESLint Biome
  Celery Sidekiq Elasticsearch Meilisearch MinIO S3 CloudFront Cloudflare Let's-Encrypt OAuth SAML LDAP JWT HTTP/2
  TLS DNS IPv6 WebSocket WebAssembly Electron Tauri Flutter SwiftUI Android Arduino Zigbee MQTT Modbus
`);

export const PLACES = words(`
  constructor handler middleware migration reducer resolver scheduler serializer controller repository helper
  fixture factory decorator selector listener subscriber transaction iterator generator parser lexer tokenizer
  formatter linter compiler bundler loader router dispatcher supervisor watcher registry adapter bridge facade
`);

export const REASONS = [
  'because the clock of the container is one hour behind',
  'because the test never awaited the promise',
  'since two workers may pick the same row',
  'as the upstream documentation promises the opposite',
  'because the index was built before the column was renamed',
  'since nobody sets the variable in production',
  'because the retry hides the first error',
  'as soon as the list holds more than one page',
  'when the response is cut off in the middle of a character',
  'because the connection pool is exhausted by then',
  'since the default changed between the two releases',
  'when the folder is mounted read-only',
  'because the file ends without a newline',
  'as the cache key leaves out the tenant',
  'since rounding happens twice on the way',
  'because a comma in the address breaks the split',
  'when daylight saving time ends',
  'because the lock is released before the commit',
  'as the order of the keys is not guaranteed',
  'since the process is killed at the memory limit',
];

export const LANGUAGES = ['ts', 'python', 'go', 'sh', 'sql', 'yaml', 'rust', 'json'];
export const EXTENSIONS = ['ts', 'tsx', 'py', 'go', 'rs', 'sql', 'yaml', 'sh', 'md', 'json'];

export const PROJECTS = [
  'web-shop',
  'data_pipe',
  'home-automation',
  'infra',
  'mobile-app',
  'notes',
  'billing-service',
  'search-api',
  'dotfiles',
  'thesis',
];
