import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Gauge } from '../components/gauge.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Empty } from '../components/note.tsx';
import { Async, Page, Section } from '../components/page.tsx';
import { Plot } from '../components/plot.tsx';
import { Segments } from '../components/fields.tsx';
import { Sentence, Time } from '../components/time.tsx';
import { Timeline } from '../components/timeline.tsx';
import type { PageProps } from '../page-route.ts';
import { tenants } from '../tenants.ts';

type Overview = Schema<'TenantOverview'>;

const COUNT = new Intl.NumberFormat('en');

const SEVERITY_ICONS: Readonly<Record<Schema<'Attention'>['severity'], IconName>> = {
  error: 'cross',
  warning: 'alert',
  info: 'info',
};

/** Links are relative to the tenant's page. */
const within = (slug: string, link: string): string =>
  link.startsWith('/') ? link.replace(/^\/dashboard(?=\/)/, '') : `/t/${slug}/${link}`;

const Attention = ({
  slug,
  items,
}: {
  readonly slug: string;
  readonly items: Overview['attention'];
}) => (
  <ul class="attention" aria-label="What needs attention">
    {items.length === 0 && (
      <li class="is-fine">
        <Icon name="check" />
        <div>
          <p>
            <strong>Nothing needs attention</strong>
          </p>
          <p>Provisioning, deliveries and connectors are working.</p>
        </div>
      </li>
    )}
    {items.map(({ severity, code, message, action, link }) => (
      <li key={`${code} ${message}`} class={`is-${severity}`}>
        <Icon name={SEVERITY_ICONS[severity]} />
        <div>
          <p>
            {link === null ? (
              <strong>
                <Sentence text={message} />
              </strong>
            ) : (
              <Link class="row-link" href={within(slug, link)}>
                <Sentence text={message} />
              </Link>
            )}
          </p>
          <p>
            <Sentence text={action} />
          </p>
        </div>
        {link !== null && <Icon name="chevron" />}
      </li>
    ))}
  </ul>
);

const Tile = ({
  title,
  icon,
  href,
  figure,
  unit,
  children,
}: {
  readonly title: string;
  readonly icon: IconName;
  readonly href: string;
  readonly figure: ComponentChildren;
  readonly unit?: string;
  readonly children?: ComponentChildren;
}) => (
  <section class="tile" aria-label={title}>
    <Icon name={icon} />
    <h2>
      <Link class="row-link" href={href}>
        {title}
      </Link>
    </h2>
    <p class="tile-figure">
      {figure}
      {unit !== undefined && <small>{unit}</small>}
    </p>
    {children}
  </section>
);

const Seats = ({ slug, seats }: { readonly slug: string; readonly seats: Overview['seats'] }) => (
  <Tile
    title="Seats"
    icon="door"
    href={`/t/${slug}/users?active=true`}
    figure={COUNT.format(seats.provisioned)}
    unit={seats.capacity === null ? 'taken' : `of ${COUNT.format(seats.capacity)}`}
  >
    {seats.capacity !== null && (
      <Gauge label="Seats taken" value={seats.provisioned} max={seats.capacity} />
    )}
    <p class="tile-note">
      {seats.available === null
        ? 'Unlimited'
        : seats.available === 0
          ? 'No seats left. New users are refused.'
          : `${COUNT.format(seats.available)} available`}
    </p>
  </Tile>
);

const Tiles = ({ slug, overview }: { readonly slug: string; readonly overview: Overview }) => {
  const { seats, users, rooms, identity_provider: provider, webhooks, connectors } = overview;
  return (
    <div class="tiles">
      <Seats slug={slug} seats={seats} />
      <Tile
        title="Users"
        icon="user"
        href={`/t/${slug}/users`}
        figure={COUNT.format(users.active)}
        unit={`active of ${COUNT.format(users.total)}`}
      />
      <Tile
        title="Rooms"
        icon="room"
        href={`/t/${slug}/rooms`}
        figure={COUNT.format(rooms.mapped)}
        unit={`mapped of ${COUNT.format(rooms.total)}`}
      />
      <Tile
        title="Identity provider"
        icon="wand"
        href={`/t/${slug}/setup`}
        figure={
          provider?.last_request_at == null ? 'No requests' : <Time at={provider.last_request_at} />
        }
      >
        <p class="tile-note">
          {provider === null
            ? 'Connect one to provision users.'
            : `${provider.description}${provider.user_agent === null ? '' : `, ${provider.user_agent}`}`}
        </p>
      </Tile>
      <Tile
        title="Webhooks"
        icon="webhook"
        href={`/t/${slug}/settings/webhooks`}
        figure={
          webhooks.failing === 0 ? COUNT.format(webhooks.total) : COUNT.format(webhooks.failing)
        }
        unit={webhooks.failing === 0 ? 'configured' : `failing of ${webhooks.total}`}
      />
      <Tile
        title="Connectors"
        icon="plug"
        href={`/t/${slug}/connectors`}
        figure={COUNT.format(connectors.held > 0 ? connectors.held : connectors.total)}
        unit={
          connectors.held > 0
            ? connectors.held === 1
              ? 'needs approval'
              : 'need approval'
            : 'configured'
        }
      >
        {connectors.failed > 0 && <p class="tile-note">{`${connectors.failed} failed`}</p>}
      </Tile>
    </div>
  );
};

const ActivityPlot = ({ activity: { points } }: { readonly activity: Schema<'Activity'> }) => {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const series = useMemo(
    () =>
      [
        { title: 'Events', tone: 'accent', values: points.map(({ events }) => events) },
        { title: 'Applied', tone: 'good', values: points.map(({ applied }) => applied) },
        {
          title: 'Refused or failed',
          tone: 'bad',
          values: points.map(({ refused, failed }) => refused + failed),
        },
      ] as const,
    [points],
  );
  return <Plot caption="Commands and events" times={times} series={series} />;
};

const Failures = ({ slug }: { readonly slug: string }) => {
  const refused = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { outcome: 'refused', limit: 5 },
  });
  const failed = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { outcome: 'failed', limit: 5 },
  });
  const all = [...(refused.data?.commands ?? []), ...(failed.data?.commands ?? [])]
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, 6);
  return (
    <Section
      title="Recent refusals and failures"
      actions={
        <Link class="minor-link" href={`/t/${slug}/log?outcome=refused`}>
          View all
        </Link>
      }
    >
      <Async of={refused} lines={3}>
        {() =>
          all.length === 0 ? (
            <Empty
              icon="check"
              title="No refusals or failures"
              text="Refused and failed commands appear here with the reason."
            />
          ) : (
            <Timeline slug={slug} commands={all} />
          )
        }
      </Async>
    </Section>
  );
};

const Home = ({ slug }: PageProps) => {
  const [hours, setHours] = useState<'24' | '168'>('24');
  const overview = useData('/admin/v1/tenants/{slug}/overview', { path: { slug } });
  const activity = useData('/admin/v1/tenants/{slug}/activity', {
    path: { slug },
    query: { hours },
  });
  const tenant = tenants.value?.find((one) => one.slug === slug);
  return (
    <Page title={tenant?.name ?? slug}>
      <Async of={overview} lines={6}>
        {(view) => (
          <>
            <Attention slug={slug} items={view.attention} />
            <Tiles slug={slug} overview={view} />
          </>
        )}
      </Async>
      <Section
        title="Activity"
        actions={
          <Segments
            label="Period"
            value={hours}
            choices={[
              ['24', '24 hours'],
              ['168', '7 days'],
            ]}
            onChange={setHours}
          />
        }
      >
        <Async of={activity} lines={6}>
          {(view) => <ActivityPlot activity={view} />}
        </Async>
      </Section>
      <Failures slug={slug} />
    </Page>
  );
};

export default Home;
