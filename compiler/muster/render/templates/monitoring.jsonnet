// What watches a site: a monitor for the DCGM exporter, rules over muster's own metrics, a dashboard.
local dashboard = import 'dashboard.libsonnet';

local serviceMonitor(input) = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: input.meta + { name: 'muster-dcgm-' + input.site, labels: input.meta.labels + input.monitorLabels },
  spec: {
    endpoints: [{
      // The exporter refreshes every 30 s: shorter intervals scrape the same values again.
      interval: '30s',
      port: input.exporter.port,
      relabelings: [{ action: 'replace', replacement: input.site, targetLabel: 'muster_site' }],
      scrapeTimeout: '10s',
    }],
    namespaceSelector: { matchNames: [input.exporter.namespace] },
    selector: { matchLabels: input.exporter.labels },
  },
};

local alert(name, expr, wait, severity, site, summary, description) = {
  alert: name,
  annotations: { description: description, summary: summary },
  expr: expr,
  'for': wait,
  labels: { severity: severity, site: site },
};

local rules(input) = {
  local site = input.site,
  local of(metric, more='') = '%s{site="%s"%s}' % [metric, site, more],
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: input.meta + { name: 'muster-evidence-' + site, labels: input.meta.labels + input.ruleLabels },
  spec: {
    groups: [{
      name: 'muster-evidence-' + site,
      rules: [
        alert(
          'MusterTestsViolated',
          'sum by (site) (' + of('muster_desired_tests', ',state="violated"') + ') > 0',
          '5m',
          'warning',
          site,
          'Acceptance tests miss their thresholds',
          '{{ $value }} desired tests of {{ $labels.site }} are violated: see muster reconcile.',
        ),
        alert(
          'MusterEvidenceStale',
          'sum by (site) (' + of('muster_desired_tests', ',state="stale"') + ') > 0',
          '1h',
          'warning',
          site,
          'Evidence proves another definition or is too old',
          '{{ $value }} desired tests of {{ $labels.site }} have only stale evidence.',
        ),
        alert(
          'MusterEvidenceExpires',
          'count by (site) (' + of('muster_evidence_valid_seconds') + ' < 3 * 86400) > 0',
          '1h',
          'info',
          site,
          'Evidence expires within three days',
          '{{ $value }} tests of {{ $labels.site }} have to run again soon.',
        ),
        alert(
          'MusterCoverageIncomplete',
          'min by (site) (' + of('muster_coverage_ratio') + ') < 1',
          '1d',
          'info',
          site,
          'Not every node is proven by every test',
          'The least covered test of {{ $labels.site }} has proven {{ $value | humanizePercentage }} of its nodes.',
        ),
        alert(
          'MusterMetricsAbsent',
          'absent(' + of('muster_desired_tests') + ')',
          '1d',
          'warning',
          site,
          'No report of acceptance tests arrives',
          'Nobody publishes the metrics of muster for this site: silence is no pass.',
        ),
        alert(
          'MusterReportOld',
          'time() - max(muster_reconcile_timestamp_seconds and on () ' + of('muster_desired_tests') + ') > 2 * 86400',
          '1h',
          'warning',
          site,
          'The report of acceptance tests is older than two days',
          'The last reconciliation was {{ $value | humanizeDuration }} ago: what the other metrics say may be past.',
        ),
        alert(
          'MusterDrift',
          'sum by (site, class) (' + of('muster_drift_findings', ',severity="error"') + ') > 0',
          '1h',
          'warning',
          site,
          'The site is not what its files say',
          '{{ $value }} findings of drift ({{ $labels.class }}) at {{ $labels.site }}.',
        ),
      ],
    }],
  },
};

function(json)
  local input = std.parseJson(json);
  {
    monitor: if input.exporter == null then null else serviceMonitor(input),
    rules: rules(input),
    dashboard: dashboard(input.site, input.dashboardUid),
  }
