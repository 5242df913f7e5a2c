import { Link } from 'wouter-preact';
import { type Schema, useData, counted, Note, Time } from '../ui.ts';
import { useReloads } from '../use-polling.ts';
import { Async, Section } from './page.tsx';
import { type OfWebhook, pathOf } from './webhook-delivery.tsx';

type Activity = Schema<'WebhookActivity'>;
type Point = Activity['hours'][number];

const EVERY_MS = 10_000;

/** Of one bar and the space beside it. */
const WIDTH = 10;
const HEIGHT = 40;

const RATE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const sumOf = (points: readonly Point[], of: (point: Point) => number): number =>
  points.reduce((sum, point) => sum + of(point), 0);

const textOf = ({ from, attempts, failed, average_ms: ms }: Point): string => {
  const results = ms === null ? '' : `, ${failed} failed, ${ms} ms on average`;
  return `${new Date(from).toLocaleString()}: ${counted(attempts, 'attempt')}${results}`;
};

/** Parts of each bar, from the bottom, with their class and their share of the height. */
type Parts = (point: Point) => readonly (readonly [look: string, share: number])[];

const Bars = ({
  of: points,
  label,
  parts,
}: {
  readonly of: readonly Point[];
  readonly label: string;
  readonly parts: Parts;
}) => (
  <svg
    class="bars"
    role="img"
    aria-label={label}
    viewBox={`0 0 ${points.length * WIDTH} ${HEIGHT}`}
    preserveAspectRatio="none"
  >
    {points.map((point, at) => {
      let bottom = HEIGHT;
      return (
        <g key={point.from}>
          <title>{textOf(point)}</title>
          {parts(point).map(([look, share]) => {
            const height = share * HEIGHT;
            bottom -= height;
            return (
              <rect
                key={look}
                class={look}
                x={at * WIDTH + 1}
                y={bottom}
                width={WIDTH - 2}
                height={height}
              />
            );
          })}
        </g>
      );
    })}
  </svg>
);

const ratesOf: Parts = ({ attempts, failed }) =>
  attempts === 0
    ? [['tone-line', 0.04]]
    : [
        ['tone-good', 1 - failed / attempts],
        ['tone-bad', failed / attempts],
      ];

/** The success rate and the latency over a stretch of time. */
const Charts = ({
  title,
  of: points,
}: {
  readonly title: string;
  readonly of: readonly Point[];
}) => {
  const attempts = sumOf(points, (point) => point.attempts);
  const failed = sumOf(points, (point) => point.failed);
  const ms = sumOf(points, (point) => (point.average_ms ?? 0) * point.attempts);
  const slowest = Math.max(1, ...points.map((point) => point.average_ms ?? 0));
  if (attempts === 0) return <p class="quiet">{`${title}: no attempts`}</p>;
  const success = `${RATE.format(1 - failed / attempts)} of ${counted(attempts, 'attempt')} succeeded`;
  const latency = `${Math.round(ms / attempts)} ms on average`;
  return (
    <figure class="activity">
      <figcaption>{title}</figcaption>
      <p>{success}</p>
      <Bars of={points} label={`${title}: ${success}`} parts={ratesOf} />
      <p>{latency}</p>
      <Bars
        of={points}
        label={`${title}: ${latency}, ${slowest} ms at most`}
        parts={(point) => [['tone-accent', (point.average_ms ?? 0) / slowest]]}
      />
    </figure>
  );
};

/** The last failed attempt, while the webhook fails. */
const LastFailure = ({ of, href }: { readonly of: Activity; readonly href: string }) =>
  of.last_failure && (
    <Note tone="bad">
      <p>
        <strong>{of.last_failure.reason}</strong> The last failed attempt was{' '}
        <Time at={of.last_failure.at} />.{' '}
        {of.failing_since !== null && (
          <>
            None has succeeded since <Time at={of.failing_since} form="minute" />.
          </>
        )}
      </p>
      <p>
        <Link href={`${href}?delivery=${of.last_failure.delivery_id}`}>See the attempt</Link>, then
        send a test event to check the endpoint. Pending deliveries are retried; “Send again now”
        sends failed ones.
      </p>
    </Note>
  );

/** How deliveries went in the last 24 hours and 7 days; first, why they fail now. */
export const WebhookActivity = ({ slug, webhook }: OfWebhook) => {
  const path = pathOf({ slug, webhook });
  const read = useData('/admin/v1/tenants/{slug}/webhooks/{id}/activity', { path });
  useReloads(read.reload, EVERY_MS);
  const isFailing = webhook.last_trigger_status === 'failed' && webhook.status === 'active';
  return (
    <>
      {read.data && isFailing && (
        <LastFailure of={read.data} href={`/t/${slug}/settings/webhooks/${webhook.id}`} />
      )}
      <Section title="Success and latency">
        <Async of={read} lines={4}>
          {({ hours, days }) => (
            <div class="grid">
              <Charts title="Last 24 hours" of={hours} />
              <Charts title="Last 7 days" of={days} />
            </div>
          )}
        </Async>
      </Section>
    </>
  );
};
