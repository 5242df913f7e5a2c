import type { SecretBox } from '../../src/plugin/api.js';

/** An address as it is kept: the query, which often holds a token, is sealed. */
export interface StoredUrl {
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
export const hasPlainQuery = ({ url }: Pick<StoredUrl, 'url'>): boolean =>
  endOfPath(url) < url.length;

export const sealUrl = (url: string, { seal }: Pick<SecretBox, 'seal'>): StoredUrl => {
  const end = endOfPath(url);
  const query = url.slice(end);
  return { url: url.slice(0, end), query: query === '' ? null : seal(query) };
};

export const openUrl = ({ url, query }: StoredUrl, unseal: (sealed: string) => string): string =>
  query === null ? url : url + unseal(query);

/** For logs and for what is kept of attempts. */
export const hideQuery = ({ url, query }: StoredUrl): string =>
  query === null && !hasPlainQuery({ url }) ? url : `${url.slice(0, endOfPath(url))}?***`;
