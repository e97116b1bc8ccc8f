# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Node, the packages, the native module, and the build.

check_node() {
  cure='Install Node 20 or newer from https://nodejs.org, with nvm (nvm install 22), or with your package manager.'
  command -v node >/dev/null 2>&1 || fail "Node is not installed. $cure"
  version=$(node -p 'process.versions.node') || fail "node does not run. $cure"
  if [ "${version%%.*}" -lt 20 ]; then fail "Node $version is too old: 20 or newer is needed. $cure"; fi
  command -v npm >/dev/null 2>&1 ||
    fail "npm is not installed (Debian and Ubuntu: sudo apt install npm, or Node with npm from https://nodejs.org)."
  row found "Node $version, npm $(npm --version)"
}

# A path of this Node that survives its next update: a link that a package manager
# maintains (Homebrew, Debian), else the program itself (of a shim or nvm: each version has its own folder).
stable_node() {
  node -e '
    const { lstatSync, realpathSync } = require("fs");
    const found = process.argv[1];
    const linked = found.startsWith("/") && lstatSync(found).isSymbolicLink() && realpathSync(found) === process.execPath;
    console.log(linked ? found : process.execPath);' "$(command -v node)"
}

# The launchers run this Node: timers and cron have another PATH.
record_node() {
  # doctor checks the links in the chosen folder.
  if [ "$DRY" = no ]; then printf '%s\n' "$PREFIX" >"$PREFIX_FILE"; fi
  stable=$(stable_node) || fail "node does not report its path."
  if [ -f "$NODE_FILE" ] && [ "$(cat "$NODE_FILE")" = "$stable" ]; then
    row unchanged "the Node of the programs: $stable"
    return
  fi
  if [ "$DRY" = no ]; then
    printf '%s\n' "$stable" >"$NODE_FILE.new" && mv -f -- "$NODE_FILE.new" "$NODE_FILE"
  fi
  did recorded "the Node of the programs: $stable"
}

compiler_help() {
  missing=
  for tool in make g++ python3; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then warn "Not found here:$missing."; fi
  warn "better-sqlite3 has no binary for this system. Compiling it needs make, g++ and python3:"
  warn "  Debian, Ubuntu: sudo apt install make g++ python3"
  warn "  Fedora:         sudo dnf install make gcc-c++ python3"
  warn "  macOS:          xcode-select --install"
  warn "The compiler also needs Node's headers. They are downloaded, unless they are next to node (in include/node)"
  warn "or npm_config_nodedir names the folder above them. Then run ./install.sh again."
}

# Runs npm silently; if it fails, its whole output is shown.
quiet_npm() {
  LOG=$(mktemp "${TMPDIR:-/tmp}/mempalace-install.XXXXXX")
  npm_status=0
  npm "$@" --loglevel=error >"$LOG" 2>&1 || npm_status=$?
  if [ "$npm_status" -ne 0 ]; then
    cat "$LOG" >&2
    warn "npm $* failed (exit $npm_status); its output is above."
    if grep -q -e better-sqlite3 -e node-gyp "$LOG"; then compiler_help; fi
  fi
  remove_log
  return "$npm_status"
}
LOG=
remove_log() {
  if [ -n "$LOG" ]; then rm -f "$LOG"; fi
  LOG=
}

opens_database() { node -e 'new (require("better-sqlite3"))(":memory:").close()' >/dev/null 2>&1; }

loads_natives() {
  node -e '
    const db = new (require("better-sqlite3"))(":memory:");
    require("sqlite-vec").load(db);
    db.close();
    require("onnxruntime-node")'
}

# True if npm's list of installed packages contains everything in the lockfile, in the same versions, and all of it exists.
# Build packages may be missing if the build is current.
packages_are_current() {
  building=
  build_is_current >/dev/null 2>&1 || building=yes
  BUILDING=$building node -e '
    const { existsSync, readFileSync } = require("fs");
    const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
    const there = packagesOf("node_modules/.package-lock.json");
    const same = (one, other) => one.version === other.version && one.integrity === other.integrity;
    const spare = (entry) => entry.optional || (entry.dev && process.env.BUILDING === "");
    const wanted = ([path, entry]) =>
      path === "" || (there[path] ? same(entry, there[path]) && existsSync(path + "/package.json") : spare(entry));
    process.exitCode = Object.entries(packagesOf("package-lock.json")).every(wanted) ? 0 : 1;' 2>/dev/null
}

install_packages() {
  export npm_config_update_notifier=false
  # Packages run no scripts at install (.npmrc); if one still does, it must not download CUDA.
  export ONNXRUNTIME_NODE_INSTALL=skip
  if packages_are_current && loads_natives >/dev/null 2>&1; then
    row unchanged "packages"
    return
  fi
  if [ "$DRY" = no ]; then
    fetch_packages
    build_natives
  fi
  did installed "packages"
}

fetch_packages() {
  if packages_are_current; then return; fi
  say "Installing packages."
  keep_native
  # The build needs the development packages, which NODE_ENV=production leaves out.
  if ! quiet_npm ci --include=dev --no-audit --no-fund; then
    rm -rf -- "$KEPT"
    exit 1
  fi
  give_native
  FETCHED=yes
}

# npm removes all packages first; compiling better-sqlite3 takes a minute, so the same version is kept.
FETCHED=no
KEPT=$ROOT/node_modules.native
sqlite_version() { node -p 'require("./node_modules/better-sqlite3/package.json").version' 2>/dev/null || :; }
keep_native() {
  rm -rf -- "$KEPT"
  native_version=$(sqlite_version)
  if [ -n "$native_version" ] && opens_database; then mv -- node_modules/better-sqlite3/build "$KEPT" 2>/dev/null || :; fi
}
give_native() {
  if [ -d "$KEPT" ] && [ "$(sqlite_version)" = "$native_version" ] && [ ! -e node_modules/better-sqlite3/build ]; then
    mv -- "$KEPT" node_modules/better-sqlite3/build
  fi
  rm -rf -- "$KEPT"
}

# Removes the build packages that this run installed. Earlier packages may be a developer's: they stay,
# unless --prune was given.
prune_packages() {
  if ! [ -f scripts/prune.mjs ]; then return; fi
  if [ "$DRY" = yes ]; then
    if ! packages_are_current || [ "$PRUNE" = yes ]; then did pruned "build packages, and libraries for other systems"; fi
    return
  fi
  if [ "$FETCHED" = no ] && [ "$PRUNE" = no ]; then
    spare=$(node scripts/prune.mjs --dry-run) || return 0
    if [ -n "$spare" ]; then row kept "$spare: ./install.sh --prune removes them"; fi
    return
  fi
  spare=$(node scripts/prune.mjs) || fail "the packages could not be pruned (see above)."
  if [ -n "$spare" ]; then did pruned "$spare; npm ci restores them for development"; fi
}

# Shows that a long step goes on: the seconds at a terminal, elsewhere a line per minute.
CLOCK=
start_clock() {
  (
    seconds=0
    while sleep 1 && kill -0 $$ 2>/dev/null; do
      seconds=$((seconds + 1))
      if [ -t 1 ]; then
        printf '\r  %s s ' "$seconds"
      elif [ $((seconds % 60)) -eq 0 ]; then
        say "  still building after $((seconds / 60)) min"
      fi
    done
  ) &
  CLOCK=$!
}
stop_clock() {
  if [ -z "$CLOCK" ]; then return 0; fi
  kill "$CLOCK" 2>/dev/null || :
  wait "$CLOCK" 2>/dev/null || :
  CLOCK=
  if [ -t 1 ]; then printf '\r'; fi
}

# npm ran no scripts: the native module is built here.
build_natives() {
  if loads_natives >/dev/null 2>&1; then return; fi
  if ! opens_database; then
    say "Building better-sqlite3, once: about a minute, several on a busy machine."
    start_clock
    built=yes
    trouble=$(node scripts/native.mjs 2>&1) || built=no
    stop_clock
    if [ "$built" = no ]; then
      printf '%s\n' "$trouble" >&2
      compiler_help
      exit 1
    fi
  fi
  if ! trouble=$(loads_natives 2>&1); then
    printf '%s\n' "$trouble" >&2
    fail "sqlite-vec or onnxruntime-node does not load here (see above). There are builds for Linux with glibc, macOS on Apple silicon, and Windows, but not for Intel Macs or Alpine."
  fi
}

build_is_current() { node scripts/built-from.mjs; }

build() {
  if build_is_current; then
    row unchanged "the build"
    return
  fi
  if [ "$DRY" = no ]; then
    node scripts/build.mjs >&2 || fail "the build failed (see above)."
  fi
  did built "the programs"
}
