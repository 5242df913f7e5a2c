import type { Wrong } from '../load/tally.js';

/** What is told in place of numbers. */
export const wrongLines = ({
  label,
  wrong,
}: {
  readonly label: string;
  readonly wrong?: Wrong;
}): string => {
  if (!wrong) return '';
  const { request, why, body } = wrong;
  return `${label}: × ${request}: ${why}\n${body === undefined ? '' : `  ${body}\n`}`;
};
