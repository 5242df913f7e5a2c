import { type Schema, useData, Button, Time } from '../ui.ts';
import { Badge, StateBadge, type StateWords } from '../components/badges.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Async, Facts, Page, Section } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';

type System = Schema<'System'>;
type Plugin = Schema<'Plugin'>;

const CHECKS: Readonly<
  Record<
    System['checks'][number]['status'],
    { readonly icon: IconName; readonly kind: string; readonly word: string }
  >
> = {
  ok: { icon: 'check', kind: 'fine', word: 'OK' },
  warn: { icon: 'alert', kind: 'warning', word: 'Warning' },
  fail: { icon: 'cross', kind: 'error', word: 'Failed' },
};

const PLUGIN_STATES: Readonly<Record<Plugin['state'], StateWords>> = {
  running: ['good', 'Running'],
  degraded: ['warning', 'Degraded'],
  disabled: ['neutral', 'Disabled'],
};

const INSTANCES: readonly Column<System['instances'][number]>[] = [
  {
    title: 'Gateway',
    cell: ({ host, id, is_this: isThis }) => (
      <>
        <strong>{host ?? id.slice(0, 8)}</strong>{' '}
        {isThis && <Badge tone="accent">Serving this page</Badge>}
      </>
    ),
  },
  { title: 'Version', cell: ({ version }) => version ?? 'unknown' },
  { title: 'Started', time: 'started_at' },
  { title: 'Heartbeat', time: 'heartbeat_at' },
];

const PLUGINS: readonly Column<Plugin>[] = [
  { title: 'Plugin', cell: ({ title, name }) => <strong>{title ?? name}</strong> },
  { title: 'Status', cell: ({ state }) => <StateBadge of={PLUGIN_STATES[state]} /> },
  {
    title: 'Health',
    cell: ({ health }) => health?.message ?? <span class="quiet">not reported</span>,
  },
  {
    title: 'Pending deliveries',
    kind: 'figure',
    isMinor: true,
    cell: ({ lag }) => lag?.pending ?? <span class="quiet">none</span>,
  },
];

const SystemPage = () => {
  const system = useData('/admin/v1/system');
  const plugins = useData('/admin/v1/plugins');
  return (
    <Page
      title="System"
      lead="Health of the gateways, the database and the plugins."
      actions={
        <Button
          icon="refresh"
          label="Check again"
          class="secondary"
          onClick={() => {
            system.reload();
            plugins.reload();
          }}
        />
      }
    >
      <Async of={system} lines={8}>
        {({ checks, instances, database, version, node, started_at: startedAt }) => (
          <>
            <ul class="attention" aria-label="Checks">
              {checks.map(({ id, title, status, message, action }) => (
                <li key={id} class={`is-${CHECKS[status].kind}`}>
                  <Icon name={CHECKS[status].icon} />
                  <div>
                    <p>
                      <strong>{title}</strong>
                      <span class="visually-hidden">{`: ${CHECKS[status].word}`}</span>
                    </p>
                    <p>{message}</p>
                    {action !== null && <strong>{action}</strong>}
                  </div>
                </li>
              ))}
            </ul>
            <Section title="Gateways" flush>
              <Table caption="Gateways" columns={INSTANCES} rows={instances} />
            </Section>
            <div class="grid">
              <Section title="Database">
                <Facts
                  of={[
                    ['Kind', database.kind === 'embedded' ? 'Embedded' : 'External'],
                    ['Version', database.version],
                    ['Replica set', database.replica_set ?? <span class="quiet">sharded</span>],
                    ['Members', database.members.join(', ')],
                    ['Latency', `${database.ping_ms.toFixed(1)} ms`],
                  ]}
                />
              </Section>
              <Section title="This gateway">
                <Facts
                  of={[
                    ['Version', version],
                    ['Node.js', node],
                    ['Started', <Time key="s" at={startedAt} form="absolute" />],
                  ]}
                />
              </Section>
            </div>
          </>
        )}
      </Async>
      <Section title="Plugins" flush>
        <Async of={plugins} lines={3}>
          {({ plugins: list }) => (
            <Table caption="Plugins" columns={PLUGINS} rows={list} by="name" />
          )}
        </Async>
      </Section>
      <p class="quiet">
        For more checks, such as files, indexes and certificates, run <code>rollgate doctor</code>.
        It also works while the gateway is stopped.
      </p>
    </Page>
  );
};

export default SystemPage;
