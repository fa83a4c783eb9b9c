// Runs of one test as MPIJobs (MPI operator, kubeflow.org/v2beta1): a launcher without GPUs, a worker per node.
local network = import 'network.libsonnet';
local pod = import 'pod.libsonnet';

local mpijob(u) = {
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
    runPolicy: { activeDeadlineSeconds: u.deadline, backoffLimit: 0, cleanPodPolicy: 'Running', suspend: false },
    slotsPerWorker: u.slots,
    sshAuthMountPath: u.secretMount,
  },
};

function(json) local input = std.parseJson(json); [
  [mpijob(u), network.among(u.meta, { [u.pod.selectorKey]: u.meta.name }, u.dns)]
  for u in input
]
