// A Grafana dashboard of one site: what is desired, what is proven, how far from the bounds.
local source = { type: 'prometheus', uid: '$datasource' };

local target(expr, legend, instant=false) = {
  datasource: source,
  expr: expr,
  instant: instant,
  legendFormat: legend,
  range: !instant,
  refId: 'A',
};

local panel(id, type, title, description, x, y, w, h, targets, unit='short') = {
  datasource: source,
  description: description,
  fieldConfig: { defaults: { unit: unit }, overrides: [] },
  gridPos: { h: h, w: w, x: x, y: y },
  id: id,
  options: {},
  targets: [targets[i] + { refId: std.char(65 + i) } for i in std.range(0, std.length(targets) - 1)],
  title: title,
  type: type,
};

function(site, uid)
  local of(metric, more='') = '%s{site="%s"%s}' % [metric, site, more];
  local chosen = ',test=~"$test"';
  {
    annotations: { list: [] },
    editable: false,
    graphTooltip: 1,
    panels: [
      panel(
        1,
        'stat',
        'Desired tests by state',
        'Only satisfied counts as proven; a waived test keeps its underlying state in the report.',
        0,
        0,
        16,
        6,
        [target('sum by (state) (' + of('muster_desired_tests') + ')', '{{state}}', true)]
      ),
      panel(
        2,
        'gauge',
        'Least coverage',
        'Proven nodes over all nodes, excluded ones too, of the test that has proven the fewest.',
        16,
        0,
        8,
        6,
        [target('min(' + of('muster_coverage_ratio') + ')', 'coverage', true)],
        'percentunit'
      ),
      panel(
        3,
        'timeseries',
        'Bus bandwidth',
        'The declared statistic over all rounds of the newest attempt of every threshold.',
        0,
        6,
        12,
        9,
        [target(of('muster_measured_busbw_bytes_per_second', chosen), '{{test}} {{unit}} {{threshold}}')],
        'Bps'
      ),
      panel(
        4,
        'timeseries',
        'Room to the nearer bound',
        'As a fraction of the bound; below zero the threshold is missed.',
        12,
        6,
        12,
        9,
        [target(of('muster_measure_margin_ratio', chosen), '{{test}} {{unit}} {{threshold}}')],
        'percentunit'
      ),
      panel(
        5,
        'table',
        'Evidence that expires next',
        'Time left until a test has to run again; below zero it is stale.',
        0,
        15,
        12,
        8,
        [target('sort(' + of('muster_evidence_valid_seconds', chosen) + ')', '{{test}} {{unit}}', true)],
        's'
      ),
      panel(
        8,
        'timeseries',
        'Tests by state over time',
        'A change without a run is a change of acceptance or of age.',
        12,
        15,
        12,
        8,
        [target('sum by (state) (' + of('muster_desired_tests') + ')', '{{state}}')]
      ),
      panel(
        6,
        'timeseries',
        'GPU power by node',
        'From the DCGM exporter, every 30 s: short runs can fall between two readings.',
        0,
        23,
        12,
        8,
        [target('sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE{muster_site="%s"})' % site, '{{Hostname}}')],
        'watt'
      ),
      panel(
        7,
        'timeseries',
        'GPU temperature by node',
        'The hottest GPU of a node.',
        12,
        23,
        12,
        8,
        [target('max by (Hostname) (DCGM_FI_DEV_GPU_TEMP{muster_site="%s"})' % site, '{{Hostname}}')],
        'celsius'
      ),
    ],
    refresh: '1m',
    schemaVersion: 39,
    tags: ['muster', 'gpu', site],
    templating: {
      list: [
        { name: 'datasource', query: 'prometheus', refresh: 1, type: 'datasource' },
        {
          allValue: '.*',
          datasource: source,
          includeAll: true,
          multi: true,
          name: 'test',
          query: { query: 'label_values(' + of('muster_test_state') + ', test)', refId: 'A' },
          refresh: 2,
          type: 'query',
        },
      ],
    },
    time: { from: 'now-30d', to: 'now' },
    title: 'muster: ' + site,
    uid: uid,
  }
