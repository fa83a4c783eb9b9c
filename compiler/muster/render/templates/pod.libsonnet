// The pod template of a test. `s` holds what all pods of the site share, `p` what one run's pods have of their own;
// this file gives every value its place.
local files(s) = {
  mounts: [
    { name: 'script', mountPath: s.scriptMount, readOnly: true },
    { name: 'shm', mountPath: '/dev/shm' },
    { name: 'tmp', mountPath: '/tmp' },
  ],
  volumes: [
    { name: 'script', configMap: { name: s.scriptMap, defaultMode: 365 } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: s.sharedMemory } },
    { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: s.scratch } },
  ],
};

// Mode 0440: an ordinary user reads it through its group, and copies it to where ssh accepts it.
local withKey(s) = {
  mounts: files(s).mounts + [{ name: 'ssh-key', mountPath: s.keyMount, readOnly: true }],
  volumes: files(s).volumes + [{ name: 'ssh-key', secret: { secretName: s.keySecret, defaultMode: 288 } }],
};

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

local apart(p) = if p.apart == null then {} else {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{
      labelSelector: { matchLabels: p.apart },
      topologyKey: 'kubernetes.io/hostname',
    }],
  },
};

function(s)
  local plain = files(s), keyed = withKey(s);
  function(p)
    local used = if p.key then keyed else plain;
    {
      metadata: { labels: p.labels, annotations: p.annotations },
      spec: {
        [if p.deadline != null then 'activeDeadlineSeconds']: p.deadline,
        affinity: nodes(p) + apart(p),
        automountServiceAccountToken: false,
        containers: [{
          name: 'test',
          image: p.image,
          command: s.command,
          args: p.args,
          env: p.env,
          resources: p.resources,
          securityContext: p.containerRights,
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: used.mounts,
        }],
        enableServiceLinks: false,
        [if p.restart != null then 'restartPolicy']: p.restart,
        securityContext: p.podRights,
        serviceAccountName: s.account,
        [if p.subdomain != null then 'subdomain']: p.subdomain,
        terminationGracePeriodSeconds: 60,
        [if std.length(p.tolerations) > 0 then 'tolerations']: p.tolerations,
        volumes: used.volumes,
      },
    }
