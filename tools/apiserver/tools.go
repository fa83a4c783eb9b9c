// Package tools pins a real Kubernetes API server and its etcd for the tests.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
