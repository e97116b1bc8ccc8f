# shellcheck shell=sh
# shellcheck disable=SC2154 # install.sh joins these files
# Agents' configuration: what `mempalace setup` wrote, entries for the MCP server, and hooks.

# What is left is looked for below.
undo_setup() {
  if [ "$DRY" = yes ]; then
    words=$("$ROOT/bin/mempalace" setup --undo --dry-run) || remember 3
    printf '%s\n' "$words" | grep '^would be ' || :
  else
    words=$("$ROOT/bin/mempalace" setup --undo --yes) || remember 3
    printf '%s\n' "$words" | grep -e '^removed  ' -e '^changed  ' || :
  fi
}

# Only entries of this installation: another program may have the same name.
remove_mcp_entries() {
  set -- mcp remove
  if [ "$DRY" = yes ]; then set -- "$@" --dry-run; fi
  if words=$("$ROOT/bin/mempalace" "$@" 2>&1); then
    printf '%s\n' "$words" | sed -n -e 's/^removed  //p' -e 's/^would be removed  //p' | while IFS= read -r entry; do
      did removed "the MCP entry of $entry"
    done
    return
  fi
  printf '%s\n' "$words" >&2
  for file in "$CONFIG/opencode/opencode.json" "$CONFIG/opencode/opencode.jsonc" \
    "${CLAUDE_CONFIG_DIR:-$HOME}/.claude.json" "${CODEX_HOME:-$HOME/.codex}/config.toml" "$HOME/.cursor/mcp.json" \
    "$PI/mcp.json" "${KIMI_SHARE_DIR:-$HOME/.kimi}/mcp.json"; do
    if grep -q mempalace-mcp "$file" 2>/dev/null; then
      skipped "the MCP entry in $file: take out what starts mempalace-mcp by hand"
    fi
  done
}

# Hooks in files that setup does not write, or could not read.
name_hooks() {
  claude=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
  codex=${CODEX_HOME:-$HOME/.codex}
  if grep -qF "/${ROOT##*/}\"" "$PI/settings.json" 2>/dev/null; then
    row remark "$PI/settings.json lists this checkout as a package: pi remove $ROOT"
  fi
  for file in "$claude/settings.json" "$claude/settings.local.json" "$codex/hooks.json" "$codex/config.toml" \
    "${KIMI_SHARE_DIR:-$HOME/.kimi}/config.toml" "$CONFIG"/opencode/plugin/*.js "$CONFIG"/opencode/plugin/*.ts \
    "$CONFIG"/opencode/plugins/*.js "$CONFIG"/opencode/plugins/*.ts; do
    case $file in
    */mempalace.js | */mempalace.ts) [ -e "$file" ] || [ -h "$file" ] || continue ;;
    *) grep -q -e 'mempalace"* hook' "$file" 2>/dev/null || continue ;;
    esac
    row remark "$file calls mempalace as a hook: remove that entry by hand (contrib/README.md)"
  done
}
