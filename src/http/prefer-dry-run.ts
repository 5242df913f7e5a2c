import type { IncomingHttpHeaders } from 'node:http';

/** The preference by which a client has a request tried out (RFC 7240, 2). */
export const DRY_RUN = 'dry-run';

/** Preferences are parted by commas; each is a token that may have a value and parameters. */
const tokenOf = (preference: string): string =>
  (preference.split(/[;=]/, 1)[0] ?? '').trim().toLowerCase();

/** Whether the request says `Prefer: dry-run`, alone or among others. */
export const prefersDryRun = ({ prefer }: IncomingHttpHeaders): boolean =>
  [prefer ?? []].flat().some((header) => header.split(',').map(tokenOf).includes(DRY_RUN));
