import { createPaint } from '../../../src/cli/terminal-text.js';
import { renderTable } from '../../../src/cli/table.js';
import { spreadOf } from '../../shared/statistics.js';
import { NOISE, type TargetResult } from '../check-targets.js';
import type { DeliveryTimes, Starts } from '../run/results.js';
import { formatSize } from '../servers/tested-server.js';
import { formatNumber, formatPercent } from './format-number.js';

const plainText = createPaint(false);

const withRange = (values: readonly number[]): string => {
  const { median, min, max } = spreadOf(values);
  return `${formatNumber(median)} (${formatNumber(min)}–${formatNumber(max)})`;
};

export const startTable = (starts: readonly Starts[]): string =>
  `W9  start with the database running, and idle memory\n${renderTable(
    [
      { title: 'peer', cell: ({ peer }) => peer },
      { title: 'users', align: 'right', cell: ({ users }) => (users ? formatSize(users) : '0') },
      { title: 'start ms', cell: ({ startMs }) => withRange(startMs) },
      { title: 'idle RSS MB', cell: ({ idleRss }) => withRange(idleRss) },
    ],
    starts,
    plainText,
  )}`;

export const deliveryTable = (deliveries: readonly DeliveryTimes[]): string =>
  `webhooks  50 events/s, ms until the event arrives\n${renderTable(
    [
      { title: 'peer', cell: ({ label }) => label },
      { title: 'events', align: 'right', cell: ({ events }) => String(events) },
      ...(['p50', 'p99'] as const).flatMap((percentile) => [
        {
          title: `${percentile} after the response`,
          align: 'right' as const,
          cell: ({ afterAnswer }: DeliveryTimes) => formatNumber(afterAnswer[percentile]),
        },
        {
          title: `${percentile} after the request`,
          align: 'right' as const,
          cell: ({ afterRequest }: DeliveryTimes) => formatNumber(afterRequest[percentile]),
        },
      ]),
    ],
    deliveries,
    plainText,
  )}`;

const BOUNDS = { 'at least': '≥', 'at most': '≤' } as const;

export const targetTable = (verdicts: readonly TargetResult[]): string =>
  renderTable(
    [
      { title: '', cell: ({ isMet }) => (isMet ? '✔' : '✘') },
      { title: 'workload', cell: ({ workload }) => workload },
      { title: 'users', cell: ({ size }) => (size === undefined ? '' : formatSize(size)) },
      { title: '', cell: ({ kind }) => kind },
      { title: 'what', cell: ({ claim }) => claim },
      { title: 'measured', align: 'right', cell: ({ measured }) => formatNumber(measured) },
      { title: 'bound', cell: ({ bound, value }) => `${BOUNDS[bound]} ${value}` },
      { title: 'margin', align: 'right', cell: ({ margin }) => formatPercent(margin) },
      { title: '', cell: ({ margin }) => (Math.abs(margin) < NOISE ? 'within the noise' : '') },
    ],
    verdicts,
    plainText,
  );
