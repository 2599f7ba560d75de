#!/usr/bin/env bash
# Installs what the proofs run over and no one here wrote: Markdown files that
# npm packages and Go modules ship, and the editor that saves pages between
# an agent's read and its write. Versions are pinned here and nowhere else; what is
# there already is left alone. Prints the folders of Markdown, as PATH is written.
#
#   .ci/corpus.sh [--size small|full]      small: some 900 files; full: over 3,800
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${MNOTE_CI_CACHE:-$here/cache}
size=small
[ "${1-}" = --size ] && size=$2

npm_packages=(
  markdownlint@0.40.0
  fastify@5.12.8
  eslint-plugin-jsx-a11y@6.10.2
  undici@8.13.1
  pino@10.4.0
  @tiptap/core@3.35.0
  @tiptap/pm@3.35.0
  @tiptap/markdown@3.35.0
  @tiptap/starter-kit@3.35.0
  @tiptap/extension-table@3.35.0
  @tiptap/extension-list@3.35.0
  @tiptap/extension-image@3.35.0
)
go_modules=(github.com/docker/cli@v29.9.3+incompatible)
case $size in
  small) ;;
  full)
    npm_packages+=(next@16.4.6 @jzone-mcp/antd-components-mcp@2.0.22)
    go_modules+=(
      github.com/influxdata/telegraf@v1.37.2
      github.com/kyverno/kyverno@v1.19.1
      github.com/open-policy-agent/opa@v1.22.4
      github.com/rclone/rclone@v1.76.0
      github.com/traefik/traefik/v3@v3.7.13
    )
    ;;
  *) echo "usage: $0 [--size small|full]" >&2; exit 2 ;;
esac

npm_folder=$cache/corpus-$size
mkdir -p "$npm_folder"
if [ "$(cat "$npm_folder/.installed" 2>/dev/null || true)" != "${npm_packages[*]}" ]; then
  echo '{"private":true}' >"$npm_folder/package.json"
  npm install --prefix "$npm_folder" --no-audit --no-fund --no-save --ignore-scripts --omit=optional --legacy-peer-deps "${npm_packages[@]}" >&2
  printf '%s' "${npm_packages[*]}" >"$npm_folder/.installed"
fi

# The module cache keeps what was downloaded once. It has no folder of ours in it.
module_folders() {
  local scratch
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' RETURN
  (cd "$scratch" && go mod init corpus >/dev/null 2>&1 && go mod download -json "$@") | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}
folders=$(module_folders "${go_modules[@]}")
[ "$(wc -l <<<"$folders")" = "${#go_modules[@]}" ] || { echo "not every Go module could be downloaded: $folders" >&2; exit 1; }
paste -sd: - <<<"$npm_folder/node_modules
$folders"
