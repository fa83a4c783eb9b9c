#!/bin/sh
# Compile the shipped sites, ingest the sample evidence, print the drift report: the whole of muster in one go.
set -eu
cd "$(dirname "$0")/.."
muster=.venv/bin/muster
demo=.demo
# Judged at a fixed moment, so that the report is the same on every day.
as_of=2026-10-20

title() { printf '\n=== %s\n' "$*"; }

rm -rf "$demo"
mkdir -p "$demo"

title "1. compile the shipped sites into $demo/generated"
"$muster" compile --output "$demo/generated"

title "2. what the h20-roce site must prove"
"$muster" plan h20-roce

title "3. read the sample evidence (synthetic, after published figures) into $demo/archive"
"$muster" ingest --output "$demo/generated" --archive "$demo/archive" --list examples/h20-roce/evidence.yaml

title "4. the drift report as of $as_of (exit code 1 tells CI that something is not proven)"
code=0
"$muster" reconcile h20-roce --output "$demo/generated" --archive "$demo/archive" --as-of "$as_of" || code=$?
[ "$code" -eq 1 ] || { printf 'demo: reconcile ended with %s instead of 1\n' "$code" >&2; exit 1; }

title "5. the TCP run offered as evidence for RoCE: the transport in the log decides"
"$muster" ingest --output "$demo/generated" --archive "$demo/archive-tcp" --list examples/h20-roce/tcp-as-roce.yaml
code=0
"$muster" reconcile h20-roce --output "$demo/generated" --archive "$demo/archive-tcp" --as-of "$as_of" \
    --test pair-all-reduce --no-compile || code=$?
[ "$code" -eq 1 ] || { printf 'demo: reconcile ended with %s instead of 1\n' "$code" >&2; exit 1; }

title "done: manifests in $demo/generated, evidence in $demo/archive"
