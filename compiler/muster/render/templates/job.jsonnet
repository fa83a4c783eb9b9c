// Runs of one test as plain Jobs: one pod, or an Indexed Job with a pod on every node of its unit.
local network = import 'network.libsonnet';
local pods = import 'pod.libsonnet';

local job(s, pod, u) = {
  local several = std.length(u.pod.nodes) > 1,
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: u.meta,
  spec: {
    activeDeadlineSeconds: s.deadline,
    backoffLimit: 0,
    completionMode: if several then 'Indexed' else 'NonIndexed',
    completions: std.length(u.pod.nodes),
    parallelism: std.length(u.pod.nodes),
    // A pod that is still ending keeps its GPUs: no second one before.
    [if s.replaceWhenFailed then 'podReplacementPolicy']: 'Failed',
    template: pod(u.pod),
  },
};

local service(s, u) = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: u.meta,
  spec: {
    clusterIP: 'None',
    ports: [{ name: 'ssh', port: s.sshPort, protocol: 'TCP', targetPort: s.sshPort }],
    publishNotReadyAddresses: true,
    selector: u.selector,
    type: 'ClusterIP',
  },
};

function(json)
  local input = std.parseJson(json);
  local s = input.shared;
  local pod = pods(s);
  [
    [job(s, pod, u)]
    + (
      if std.length(u.pod.nodes) == 1 then []
      else [service(s, u), network.among(u.meta, u.selector, s.dns)]
    )
    for u in input.runs
  ]
