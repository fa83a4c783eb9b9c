#!/bin/sh
# Compile the requirement files with hashes from pyproject.toml; no index address gets into them.
set -eu
cd "$(dirname "$0")/.."
compile() { .tools/uv/bin/uv pip compile "$@" --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet; }
compile pyproject.toml -o requirements/base.txt
compile pyproject.toml --extra s3 -c requirements/base.txt -o requirements/s3.txt
compile pyproject.toml --extra s3 --group dev -c requirements/s3.txt -o requirements/dev.txt
