# shellcheck shell=sh
# Read by the launchers in bin/ (`f` is the launcher's own file, with links resolved): finds Node and replaces itself with it.
# Timers and cron do not have nvm's or Homebrew's PATH, so install.sh records its Node in .node-path. A package
# that npm installed has no such file: it uses the node next to the launcher, or that of its own prefix, for which it was
# built, else PATH's: an agent's program may have put another Node first on PATH.
# Every start of every program runs this, so it starts no other program.

# shellcheck disable=SC2154 # f is the launcher's
root=${f%/*}/..

stop() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 1
}
# Prints the hint for a checkout.
stop_to_install() { stop "$1: run ./install.sh in $(CDPATH='' cd -P -- "$root" && pwd)"; }

if [ -f "$root/.node-path" ]; then
  IFS= read -r node <"$root/.node-path" || :
  [ -x "$node" ] || stop_to_install "the Node it was installed with is gone ($node)"
  [ -d "$root/node_modules/commander" ] || stop_to_install "its packages are missing"
elif [ -x "${0%/*}/node" ]; then
  node=${0%/*}/node
elif [ "${f#/*/lib/node_modules/}" != "$f" ] && [ -x "$root/../../../bin/node" ]; then
  node=$root/../../../bin/node
else
  node=$(command -v node) || stop "node is not on PATH: install Node 20 or newer (https://nodejs.org)"
fi
if ! [ -f "$root/dist/cli/start.cjs" ]; then
  [ -f "$root/install.sh" ] || stop "its package is incomplete: install it again with npm"
  stop_to_install "it is not built"
fi
exec "$node" "$0" "$@"
