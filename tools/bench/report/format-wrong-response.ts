import type { WrongResponse } from '../load/load-recorder.js';

/** Replaces the numbers of a server with a wrong response. */
export const formatWrongResponse = ({
  label,
  wrong,
}: {
  readonly label: string;
  readonly wrong?: WrongResponse;
}): string => {
  if (!wrong) return '';
  const { request, why, body } = wrong;
  return `${label}: × ${request}: ${why}\n${body === undefined ? '' : `  ${body}\n`}`;
};
