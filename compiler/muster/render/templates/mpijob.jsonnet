// Runs of one test as MPIJobs (MPI operator, kubeflow.org/v2beta1): a launcher without GPUs, a worker per node.
local network = import 'network.libsonnet';
local pods = import 'pod.libsonnet';

local mpijob(s, pod, u) = {
  apiVersion: 'kubeflow.org/v2beta1',
  kind: 'MPIJob',
  metadata: u.meta,
  spec: {
    // The operator bounds the launcher only: it starts at once, so that the deadline counts from the beginning.
    launcherCreationPolicy: 'AtStartup',
    mpiImplementation: 'OpenMPI',
    mpiReplicaSpecs: {
      Launcher: { replicas: 1, restartPolicy: 'Never', template: pod(u.launcher) },
      Worker: { replicas: std.length(u.pod.nodes), restartPolicy: 'Never', template: pod(u.pod) },
    },
    runLauncherAsWorker: false,
    // Workers end by themselves and keep their logs; what still runs when the launcher is gone is removed.
    runPolicy: { activeDeadlineSeconds: s.deadline, backoffLimit: 0, cleanPodPolicy: 'Running', suspend: false },
    slotsPerWorker: u.slots,
    sshAuthMountPath: s.keyMount,
  },
};

function(json)
  local input = std.parseJson(json);
  local s = input.shared;
  local pod = pods(s);
  [
    [mpijob(s, pod, u), network.among(u.meta, u.selector, s.dns)]
    for u in input.runs
  ]
