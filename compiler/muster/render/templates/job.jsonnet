// Runs of one test as plain Jobs: one pod, or an Indexed Job with a pod on every node of its unit.
local network = import 'network.libsonnet';
local pod = import 'pod.libsonnet';

local job(u) = {
  local several = std.length(u.pod.nodes) > 1,
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: u.meta,
  spec: {
    activeDeadlineSeconds: u.deadline,
    backoffLimit: 0,
    completionMode: if several then 'Indexed' else 'NonIndexed',
    completions: std.length(u.pod.nodes),
    parallelism: std.length(u.pod.nodes),
    // A pod that is still ending keeps its GPUs: no second one before.
    [if u.replaceWhenFailed then 'podReplacementPolicy']: 'Failed',
    template: pod(u.pod),
  },
};

local service(u) = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: u.meta,
  spec: {
    clusterIP: 'None',
    ports: [{ name: 'ssh', port: u.sshPort, protocol: 'TCP', targetPort: u.sshPort }],
    publishNotReadyAddresses: true,
    selector: { [u.pod.selectorKey]: u.meta.name },
    type: 'ClusterIP',
  },
};

function(json) local input = std.parseJson(json); [
  [job(u)]
  + (
    if std.length(u.pod.nodes) == 1 then []
    else [service(u), network.among(u.meta, { [u.pod.selectorKey]: u.meta.name }, u.dns)]
  )
  for u in input
]
