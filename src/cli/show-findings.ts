import type { Finding, Status } from '../doctor/diagnose.js';
import { displayWidth, printable } from './display-width.js';
import { createPaint, type Paint } from './paint.js';
import { renderTable } from './table.js';
import type { Outlet } from './world.js';

interface Line {
  readonly status: string;
  readonly check: string;
  readonly text: string;
}

const ORDER = ['OK', 'WARN', 'FAIL', 'SKIP'] as const satisfies readonly Status[];
const WORDS = { OK: 'OK', WARN: 'to look at', FAIL: 'failed', SKIP: 'skipped' } as const;
const GAPS = 4;
const NARROWEST = 40;

/** A line a finding; below it, where something can be done, what. */
export const findingsTable = (
  findings: readonly Finding[],
  { hasColours, width }: Pick<Outlet, 'hasColours' | 'width'>,
): string => {
  const paint = createPaint(hasColours);
  const names = Math.max(...findings.map(({ check }) => displayWidth(check)));
  const wrapAt = Math.max(NARROWEST, width - 'STATUS'.length - names - GAPS);
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
  { status: stamp(paint)[status], check, text: printable(message) },
  ...(remedy === undefined ? [] : [{ status: '', check: '', text: `→ ${printable(remedy)}` }]),
];

const stamp = ({ green, yellow, red, dim }: Paint): Readonly<Record<Status, string>> => ({
  OK: green('OK'),
  WARN: yellow('WARN'),
  FAIL: red('FAIL'),
  SKIP: dim('SKIP'),
});

/** `17 OK, 1 to look at, 5 skipped.` */
export const summaryOf = (findings: readonly Finding[]): string => {
  const parts = ORDER.map((status) => ({
    status,
    count: findings.filter((finding) => finding.status === status).length,
  }));
  const told = parts.filter(({ count }) => count > 0);
  return `${told.map(({ status, count }) => `${count} ${WORDS[status]}`).join(', ')}.`;
};
