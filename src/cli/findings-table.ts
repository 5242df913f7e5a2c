import type { Finding, Status } from '../doctor/diagnose.js';
import type { Output } from './cli-context.js';
import { displayWidth, printable } from './display-width.js';
import { createPaint, type Paint } from './paint.js';
import { renderTable } from './table.js';

interface Line {
  readonly status: string;
  readonly check: string;
  readonly text: string;
}

const ORDER = ['OK', 'WARN', 'FAIL', 'SKIP'] as const satisfies readonly Status[];
const COUNTED = {
  OK: ['OK', 'OK'],
  WARN: ['warning', 'warnings'],
  FAIL: ['failed', 'failed'],
  SKIP: ['skipped', 'skipped'],
} as const satisfies Readonly<Record<Status, readonly [string, string]>>;
const GAPS = 4;
const MIN_WIDTH = 40;

/** A line per finding, followed by its remedy. */
export const findingsTable = (
  findings: readonly Finding[],
  { hasColours, width }: Pick<Output, 'hasColours' | 'width'>,
): string => {
  const paint = createPaint(hasColours);
  const names = Math.max(...findings.map(({ check }) => displayWidth(check)));
  const wrapAt = Math.max(MIN_WIDTH, width - 'STATUS'.length - names - GAPS);
  return renderTable<Line>(
    [
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'CHECK', cell: ({ check }) => check },
      { title: 'FINDING', cell: ({ text }) => text, wrapAt },
    ],
    findings.flatMap((finding) => linesOf(finding, paint)),
    paint,
  );
};

const linesOf = ({ status, check, message, remedy }: Finding, paint: Paint): readonly Line[] => [
  { status: painted(paint)[status], check, text: printable(message) },
  ...(remedy === undefined ? [] : [{ status: '', check: '', text: `→ ${printable(remedy)}` }]),
];

const painted = ({ green, yellow, red, dim }: Paint): Readonly<Record<Status, string>> => ({
  OK: green('OK'),
  WARN: yellow('WARN'),
  FAIL: red('FAIL'),
  SKIP: dim('SKIP'),
});

/** `17 OK, 1 warning, 5 skipped.` */
export const findingsSummary = (findings: readonly Finding[]): string => {
  const parts = ORDER.map((status) => ({
    status,
    count: findings.filter((finding) => finding.status === status).length,
  }));
  return `${parts
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${COUNTED[status][count === 1 ? 0 : 1]}`)
    .join(', ')}.`;
};
