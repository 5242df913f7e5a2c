import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Schema, useData, Sentence, Time } from '../ui.ts';
import { Gauge } from '../components/gauge.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Lazy } from '../components/lazy.tsx';
import { Async, Page, Section, Skeleton } from '../components/page.tsx';
import { Segments } from '../components/fields.tsx';
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

const GROUPS = 'GROUPS_REFUSED';
const SHOWN_GROUPS = 3;

const Attention = ({
  slug,
  items,
  onChanged,
}: {
  readonly slug: string;
  readonly items: Overview['attention'];
  readonly onChanged: () => void;
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
              // Of what has buttons, only the text is a link.
              <Link class={code === GROUPS ? '' : 'row-link'} href={within(slug, link)}>
                <Sentence text={message} />
              </Link>
            )}
          </p>
          <p>
            <Sentence text={action} />
          </p>
          {code === GROUPS && (
            <Lazy
              load={() => import('../components/refused-groups.tsx')}
              slug={slug}
              limit={SHOWN_GROUPS}
              onChanged={onChanged}
            />
          )}
        </div>
        {link !== null && code !== GROUPS && <Icon name="chevron" />}
      </li>
    ))}
  </ul>
);

const Figure = ({
  title,
  href,
  figure,
  unit,
  children,
}: {
  readonly title: string;
  readonly href: string;
  readonly figure: ComponentChildren;
  readonly unit?: string;
  /** Below it. */
  readonly children?: ComponentChildren;
}) => (
  <div>
    <dt>
      <Link class="row-link" href={href}>
        {title}
      </Link>
    </dt>
    <dd>
      {figure} {unit !== undefined && <small>{unit}</small>}
    </dd>
    {children !== undefined && <dd class="figure-note">{children}</dd>}
  </div>
);

const seatsNote = ({ capacity, provisioned, available }: Overview['seats']) => {
  if (capacity === null || available === null) return 'Unlimited';
  return (
    <>
      <Gauge label="Seats taken" value={provisioned} max={capacity} />
      {available === 0
        ? 'No seats left. New users are refused.'
        : `${COUNT.format(available)} free`}
    </>
  );
};

const Figures = ({ slug, overview }: { readonly slug: string; readonly overview: Overview }) => {
  const { seats, users, rooms, identity_provider: provider, webhooks, connectors } = overview;
  const to = (page: string) => `/t/${slug}/${page}`;
  return (
    <dl class="figures">
      <Figure
        title="Seats"
        href={to('settings/tenant')}
        figure={COUNT.format(seats.provisioned)}
        unit={seats.capacity === null ? 'taken' : `of ${COUNT.format(seats.capacity)}`}
      >
        {seatsNote(seats)}
      </Figure>
      <Figure title="Users" href={to('users')} figure={COUNT.format(users.total)}>
        {`${COUNT.format(users.total - users.active)} deactivated`}
      </Figure>
      <Figure title="Rooms" href={to('rooms')} figure={COUNT.format(rooms.total)}>
        {`${COUNT.format(rooms.mapped)} mapped to a group`}
      </Figure>
      <Figure
        title="Identity provider"
        href={to('setup')}
        figure={
          provider?.last_request_at == null ? 'No requests' : <Time at={provider.last_request_at} />
        }
      >
        {provider === null ? 'Connect one to provision users.' : provider.description}
      </Figure>
      <Figure title="Webhooks" href={to('settings/webhooks')} figure={COUNT.format(webhooks.total)}>
        {webhooks.failing > 0 && `${webhooks.failing} failing`}
      </Figure>
      <Figure title="Connectors" href={to('connectors')} figure={COUNT.format(connectors.total)}>
        {connectors.held > 0
          ? `${connectors.held} to approve`
          : connectors.failed > 0 && `${connectors.failed} failed`}
      </Figure>
    </dl>
  );
};

const ActivityPlot = ({ activity: { points } }: { readonly activity: Schema<'Activity'> }) => (
  <Lazy
    load={() => import('../components/plot.tsx')}
    fallback={<Skeleton lines={6} />}
    caption="Commands and events"
    times={points.map(({ at }) => new Date(at))}
    series={
      [
        { title: 'Events', tone: 'accent', values: points.map(({ events }) => events) },
        { title: 'Applied', tone: 'good', values: points.map(({ applied }) => applied) },
        {
          title: 'Refused or failed',
          tone: 'bad',
          values: points.map(({ refused, failed }) => refused + failed),
        },
      ] as const
    }
  />
);

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
            <Attention slug={slug} items={view.attention} onChanged={overview.reload} />
            <Figures slug={slug} overview={view} />
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
      <Lazy load={() => import('../components/failures.tsx')} slug={slug} />
    </Page>
  );
};

export default Home;
