// What Argo CD needs to know: one project that allows this site and nothing else, one application, health.
local meta(input, name) = {
  name: name,
  namespace: input.argocdNamespace,
  annotations: input.annotations,
  labels: input.labels,
};

function(json)
  local input = std.parseJson(json);
  [
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: meta(input, input.project),
      spec: {
        clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
        description: 'Acceptance tests of site ' + input.site,
        destinations: [{ namespace: name, server: input.server } for name in input.namespaces],
        namespaceResourceWhitelist: input.kinds,
        sourceRepos: [input.repoURL],
      },
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: meta(input, 'muster-' + input.site) + {
        // Only a change under its own path concerns an application.
        annotations+: { 'argocd.argoproj.io/manifest-generate-paths': '.' },
      },
      spec: {
        destination: { namespace: input.namespace, server: input.server },
        project: input.project,
        source: {
          directory: { exclude: '{kustomization.yaml,*/kustomization.yaml}', recurse: true },
          path: input.path,
          repoURL: input.repoURL,
          targetRevision: input.revision,
        },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          retry: { backoff: { duration: '30s', factor: 2, maxDuration: '10m' }, limit: 3 },
          syncOptions: [
            'CreateNamespace=false',
            'ServerSideApply=true',
            'ApplyOutOfSyncOnly=true',
            'PruneLast=true',
            'FailOnSharedResource=true',
          ],
        },
      },
    },
    {
      // A part of Argo CD's own ConfigMap, for server-side apply: it must never be pruned with a site.
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'argocd-cm',
        namespace: input.argocdNamespace,
        annotations: {
          'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false,ServerSideApply=true',
          'kustomize.toolkit.fluxcd.io/substitute': 'disabled',
        },
        labels: { 'app.kubernetes.io/part-of': 'argocd' },
      },
      data: { ['resource.customizations.health.' + kind]: input.health[kind] for kind in std.objectFields(input.health) },
    },
  ]
