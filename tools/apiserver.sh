#!/bin/sh
# Build a real kube-apiserver and etcd into .tools/bin, pinned and checked; a few minutes, once.
set -eu
cd "$(dirname "$0")/.."
wanted=$(cat tools/apiserver/go.mod tools/apiserver/go.sum | cksum)
[ "$(cat .tools/apiserver.stamp 2>/dev/null || true)" = "$wanted" ] && exit 0
go=$(command -v go || printf '%s' "$PWD/.tools/go/bin/go")
[ -x "$go" ] || { echo "apiserver: no Go; run \`make setup\` on a machine with Go" >&2; exit 3; }
echo "apiserver: building kube-apiserver and etcd (a few minutes, once)" >&2
mkdir -p .tools/bin
version=$(sed -n 's/^\tk8s.io\/kubernetes \(v[0-9.]*\).*/\1/p' tools/apiserver/go.mod)
minor=$(printf '%s' "$version" | cut -d. -f2)
flags="-s -w -X k8s.io/component-base/version.gitVersion=$version"
flags="$flags -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$minor"
build() { (cd tools/apiserver && GOFLAGS='' "$go" build -mod=readonly -ldflags "$flags" -o "../../.tools/bin/$1" "$2"); }
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build etcd go.etcd.io/etcd/server/v3
printf '%s\n' "$wanted" >.tools/apiserver.stamp
