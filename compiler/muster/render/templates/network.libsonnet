// Who may talk to whom: nobody, but the pods of one run to each other and to the cluster's DNS.
{
  denyAll(meta, selector): {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: meta,
    spec: { podSelector: { matchLabels: selector }, policyTypes: ['Egress', 'Ingress'] },
  },

  among(meta, selector, dns): {
    local same = [{ podSelector: { matchLabels: selector } }],
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: meta,
    spec: {
      egress: [
        { to: same },
        {
          ports: [{ port: dns.port, protocol: protocol } for protocol in ['TCP', 'UDP']],
          to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': dns.namespace } } }]
              // The address that a DNS cache on every node listens on.
              + [{ ipBlock: { cidr: '169.254.20.10/32' } }],
        },
      ],
      ingress: [{ from: same }],
      podSelector: { matchLabels: selector },
      policyTypes: ['Egress', 'Ingress'],
    },
  },
}
