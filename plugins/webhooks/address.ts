import type { SecretBox } from '../../src/plugin/api.js';

/** An address as it is kept: the query, which often holds a token, is sealed. */
export interface KeptAddress {
  /** Without the query; in registrations of before, with it. */
  readonly url: string;
  /** Sealed, with its question mark and whatever follows it; null where there is none. */
  readonly query: string | null;
}

/** Where the query or the fragment begins; the end where there is neither. */
const endOfPath = (url: string): number => {
  const at = url.search(/[?#]/);
  return at === -1 ? url.length : at;
};

/** Whether the query stands in the open, as it did in registrations of before. */
export const isOpen = ({ url }: Pick<KeptAddress, 'url'>): boolean => endOfPath(url) < url.length;

export const sealAddress = (whole: string, { seal }: Pick<SecretBox, 'seal'>): KeptAddress => {
  const end = endOfPath(whole);
  const query = whole.slice(end);
  return { url: whole.slice(0, end), query: query === '' ? null : seal(query) };
};

export const openAddress = (
  { url, query }: KeptAddress,
  unseal: (sealed: string) => string,
): string => (query === null ? url : url + unseal(query));

/** For logs and for what is kept of attempts. */
export const hideQuery = ({ url, query }: KeptAddress): string =>
  query === null && !isOpen({ url }) ? url : `${url.slice(0, endOfPath(url))}?***`;
