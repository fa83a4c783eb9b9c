// What all tests of a site share: the namespace, an account without rights, the pod script, closed network.
local network = import 'network.libsonnet';

function(json)
  local input = std.parseJson(json);
  [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: input.namespace,
        annotations: input.annotations + input.namespaceAnnotations,
        labels: input.labels + {
          ['pod-security.kubernetes.io/' + mode + suffix]: if suffix == '' then input.level else input.levelVersion
          for mode in ['audit', 'enforce', 'warn']
          for suffix in ['', '-version']
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: {
        name: input.account,
        namespace: input.namespace,
        annotations: input.annotations,
        labels: input.labels,
      },
      automountServiceAccountToken: false,
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: input.scriptMap,
        namespace: input.namespace,
        annotations: input.annotations,
        labels: input.labels,
      },
      data: { [input.scriptName]: input.scriptText },
      immutable: true,
    },
    network.denyAll(
      {
        name: 'muster-deny-all',
        namespace: input.namespace,
        annotations: input.annotations,
        labels: input.labels,
      },
      input.selector
    ),
  ]
