import { createPaint } from '../../src/cli/paint.js';
import { renderTable } from '../../src/cli/table.js';
import { sizeInWords } from '../contestants/contestant.js';
import { NOISE, type Verdict } from '../judge.js';
import type { DeliveryTimes, Starts } from '../run/results.js';
import { spreadOf } from '../../tooling/statistics.js';
import { inDigits, inPercent } from './in-digits.js';

const plainText = createPaint(false);

const withRange = (values: readonly number[]): string => {
  const { median, least, most } = spreadOf(values);
  return `${inDigits(median)} (${inDigits(least)}–${inDigits(most)})`;
};

export const startTable = (starts: readonly Starts[]): string =>
  `W9  start with the database up, and memory after it\n${renderTable(
    [
      { title: 'peer', cell: ({ peer }) => peer },
      { title: 'start ms', cell: ({ startMs }) => withRange(startMs) },
      { title: 'idle RSS MB', cell: ({ idleRss }) => withRange(idleRss) },
    ],
    starts,
    plainText,
  )}`;

export const deliveryTable = (deliveries: readonly DeliveryTimes[]): string =>
  `webhooks  50 events/s, ms until the receiver has the event\n${renderTable(
    [
      { title: 'peer', cell: ({ label }) => label },
      { title: 'events', align: 'right', cell: ({ events }) => String(events) },
      ...(['p50', 'p99'] as const).flatMap((percentile) => [
        {
          title: `${percentile} after the answer`,
          align: 'right' as const,
          cell: ({ afterAnswer }: DeliveryTimes) => inDigits(afterAnswer[percentile]),
        },
        {
          title: `${percentile} after the request`,
          align: 'right' as const,
          cell: ({ afterRequest }: DeliveryTimes) => inDigits(afterRequest[percentile]),
        },
      ]),
    ],
    deliveries,
    plainText,
  )}`;

const BOUNDS = { 'at least': '≥', 'at most': '≤' } as const;

export const verdictTable = (verdicts: readonly Verdict[]): string =>
  renderTable(
    [
      { title: '', cell: ({ isMet }) => (isMet ? '✔' : '✘') },
      { title: 'workload', cell: ({ workload }) => workload },
      { title: 'users', cell: ({ size }) => (size === undefined ? '' : sizeInWords(size)) },
      { title: '', cell: ({ kind }) => kind },
      { title: 'what', cell: ({ claim }) => claim },
      { title: 'measured', align: 'right', cell: ({ measured }) => inDigits(measured) },
      { title: 'bound', cell: ({ bound, value }) => `${BOUNDS[bound]} ${value}` },
      { title: 'margin', align: 'right', cell: ({ margin }) => inPercent(margin) },
      { title: '', cell: ({ margin }) => (Math.abs(margin) < NOISE ? 'within the noise' : '') },
    ],
    verdicts,
    plainText,
  );
