// The pod template of a test. `p` holds every value; this file gives them their places.
local field(path) = { valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: path } } };

local env(p) =
  [{ name: name, value: p.env[name] } for name in std.objectFields(p.env)]
  + [
    { name: 'MUSTER_ADDRESS' } + field('status.podIP'),
    { name: 'MUSTER_ATTEMPT' } + field('metadata.uid'),
    { name: 'MUSTER_NODE' } + field('spec.nodeName'),
  ];

local mounts(p) =
  [
    { name: 'script', mountPath: p.scriptMount, readOnly: true },
    { name: 'shm', mountPath: '/dev/shm' },
    { name: 'tmp', mountPath: '/tmp' },
  ]
  + (if p.secret == null then [] else [{ name: 'ssh-key', mountPath: p.secretMount, readOnly: true }]);

local volumes(p) =
  [
    { name: 'script', configMap: { name: p.scriptMap, defaultMode: 365 } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: p.sharedMemory } },
    { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: p.scratch } },
  ]
  // Mode 0440: an ordinary user reads it through its group, and copies it to where ssh accepts it.
  + (if p.secret == null then [] else [{ name: 'ssh-key', secret: { secretName: p.secret, defaultMode: 288 } }]);

// By the node's own name, which a label may repeat or not; each term takes one name.
local nodes(p) = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }
        for name in p.nodes
      ],
    },
  },
};

local apart(p) = if !p.apart then {} else {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{
      labelSelector: { matchLabels: { [p.selectorKey]: p.podLabels[p.selectorKey], [p.roleKey]: p.podLabels[p.roleKey] } },
      topologyKey: 'kubernetes.io/hostname',
    }],
  },
};

function(p) {
  metadata: { labels: p.podLabels, annotations: p.podAnnotations },
  spec: {
    [if p.deadline != null then 'activeDeadlineSeconds']: p.deadline,
    affinity: nodes(p) + apart(p),
    automountServiceAccountToken: false,
    containers: [{
      name: 'test',
      image: p.image,
      command: ['/bin/sh', p.script],
      args: [p.mode] + p.command,
      env: env(p),
      resources: p.resources,
      securityContext: p.containerRights,
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      volumeMounts: mounts(p),
    }],
    enableServiceLinks: false,
    [if p.restart != null then 'restartPolicy']: p.restart,
    securityContext: p.podRights,
    serviceAccountName: p.account,
    [if p.subdomain != null then 'subdomain']: p.subdomain,
    terminationGracePeriodSeconds: 60,
    [if std.length(p.tolerations) > 0 then 'tolerations']: p.tolerations,
    volumes: volumes(p),
  },
}
