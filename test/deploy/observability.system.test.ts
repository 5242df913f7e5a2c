import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { TestGateway } from '../support/gateway.js';
import { readDeployFile } from './deploy-file.js';

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

const dashboard = JSON.parse(
  readDeployFile('deploy/observability/grafana-dashboard.json'),
) as Dashboard;
const rules = (parse(readDeployFile('deploy/observability/alerts.yaml')) as Rules).groups.flatMap(
  (group) => group.rules,
);

const folder = mkdtempSync(join(tmpdir(), 'rollgate-metrics-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** With a connector, whose metrics exist only then. */
const gateway = TestGateway.use(() => {
  const path = join(folder, 'rollgate.yaml');
  const connectors = { hr: { use: 'csv', tenant: 'tenant-1', settings: { folder } } };
  writeFileSync(path, JSON.stringify({ connectors }));
  return { ROLLGATE_CONFIG: path, ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8' };
});

/** What Prometheus adds, and its own metric. */
const ADDED = ['job', 'instance'];
const OF_PROMETHEUS = ['up'];

const FUNCTIONS =
  'sum max min rate increase by topk histogram_quantile without label_values or and on'.split(' ');

interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics of an expression, each with the labels that it is selected or grouped by. */
const usesIn = (expr: string): readonly Use[] => {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
  const bare = expr.replace(/\bby \([^)]*\)/g, '').replace(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/\b([a-z_][a-z0-9_]*)(\{[^}]*\})?/g)].flatMap(
    ([, metric = '', selector = '']) => {
      // Words inside a selector are labels and values.
      if (FUNCTIONS.includes(metric) || !isMetric(bare, metric)) return [];
      const selected = [...selector.matchAll(/([a-z_]+)\s*[!=]/g)].map(([, name = '']) => name);
      return [{ metric, labels: [...selected, ...grouped] }];
    },
  );
};

const isMetric = (expr: string, word: string): boolean =>
  new RegExp(`(^|[^"{,\\s\\w|/-]|[(\\s/])${word}(\\{|\\[|\\s|\\)|$)`).test(
    expr.replace(/"[^"]*"/g, '""').replace(/\{[^}]*\}/g, '{'),
  );

describe('metrics that the dashboard and the alerts use', () => {
  let known: ReadonlyMap<string, ReadonlySet<string>>;
  beforeAll(async () => {
    const { url } = await gateway.open();
    const tenant = await gateway.tenant();
    // Nothing listens there, so that a delivery is pending.
    await tenant.native('POST', '/webhooks', { url: 'https://localhost:1/', events: ['*'] });
    await tenant.native('POST', '/users', { email: 'ada@example.com', display_name: 'Ada' });
    const text = await eventually(async () => {
      const scraped = await (await fetch(`${url}/metrics`)).text();
      expect(scraped).toContain('rollgate_deliveries_pending{');
      return scraped;
    });
    const found = new Map<string, Set<string>>();
    for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{([^}]*)\})? \S+$/gm)) {
      const set = found.get(name) ?? new Set<string>();
      for (const [, label = ''] of labels.matchAll(/([a-z_]\w*)="/g)) set.add(label);
      found.set(name, set);
    }
    known = found;
  });

  const targets = dashboard.panels.flatMap(({ title, targets: all = [] }) =>
    all.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
  );

  it.each([
    ...targets.map(([title, expr]) => [title, expr] as const),
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ])('exist: %s', (_title, expr) => {
    const uses = usesIn(expr);
    expect(uses).not.toEqual([]);
    for (const { metric, labels } of uses) {
      if (OF_PROMETHEUS.includes(metric)) continue;
      expect([...known.keys()]).toContain(metric);
      const allowed = [...ADDED, ...known.get(metric)!];
      for (const label of labels) expect(allowed, `${metric} of ${expr}`).toContain(label);
    }
  });

  it('are all of the gateway’s own', () => {
    const used = new Set(
      [...targets.map(([, expr]) => expr), ...rules.map(({ expr }) => expr)]
        .flatMap(usesIn)
        .map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')),
    );
    const own = [...known.keys()]
      .filter((name) => name.startsWith('rollgate_'))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    expect([...new Set(own)].filter((name) => !used.has(name))).toEqual([]);
  });

  it('keep the labels that legends and annotations show', () => {
    for (const [, expr, legend] of targets)
      for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g))
        if (!ADDED.includes(label)) expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
    for (const { expr, annotations } of rules) {
      expect(annotations).toMatchObject({
        summary: expect.any(String) as string,
        action: expect.any(String) as string,
      });
      for (const [, label = ''] of Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g))
        if (/\bby \(/.test(expr)) expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
    }
  });
});

describe('the dashboard', () => {
  it('has panels that do not overlap', () => {
    const cells = new Set<string>();
    for (const { gridPos, title } of dashboard.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells.has(`${x},${y}`), title).toBe(false);
          cells.add(`${x},${y}`);
        }
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
