import type { CallOptions, PathsWith } from 'rollgate/client';
import { withQuery } from '../address.ts';

/**
 * A value of a query. Numbers and booleans may be text from the page's address: the gateway checks
 * them. Empty ones are left out.
 */
type QueryValue<Value> =
  Value | (Value extends number | boolean ? string : never) | '' | null | undefined;

type QueryOf<P extends PathsWith<'get'>> =
  CallOptions<P, 'get'> extends { readonly query?: infer Query }
    ? { readonly [Name in keyof Query]: QueryValue<Query[Name]> }
    : object;

/** What a path of the API needs to become an address. */
export type Place<P extends PathsWith<'get'>> = (CallOptions<P, 'get'> extends {
  readonly path: infer Path;
}
  ? { readonly path: Path }
  : { readonly path?: never }) &
  (object extends QueryOf<P> ? { readonly query?: QueryOf<P> } : { readonly query: QueryOf<P> });

/** For what the browser reads itself: downloads and streams. */
export const addressOf = <P extends PathsWith<'get'>>(path: P, place: Place<P>): string => {
  const { path: values = {}, query } = place as {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Parameters<typeof withQuery>[1];
  };
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return withQuery(filled, query);
};
