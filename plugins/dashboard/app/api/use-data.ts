import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { PathsWith, ResultOf } from 'rollgate/client';
import { withoutEmpty } from '../address.ts';
import { untilAnswered } from '../outage.ts';
import type { Place } from './address-of.ts';
import { type ApiError, asApiError } from './api-error.ts';
import { gateway } from './gateway.ts';

/** The state of a read. While another page loads, the last one stays. */
export interface Loaded<Body> {
  readonly data: Body | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<Body> {
  /** What was read, as `key` and `object` below. */
  readonly key: string | null;
  readonly object: string | null;
  readonly data?: Body;
  readonly error?: ApiError;
}

/** The call as seen at run time. */
type Get = (path: string, options: object) => Promise<unknown>;

/** Reads a path of the API; null: nothing to read yet. */
export const useData = <P extends PathsWith<'get'>>(
  path: P,
  ...[place]: object extends Place<P>
    ? readonly [place?: Place<P> | null]
    : readonly [Place<P> | null]
): Loaded<ResultOf<P, 'get'>> => {
  type Body = ResultOf<P, 'get'>;
  const { path: values = {}, query = {} } = (place ?? {}) as {
    readonly path?: object;
    readonly query?: Readonly<Record<string, unknown>>;
  };
  const object = place === null ? null : JSON.stringify([path, values]);
  const key = object === null ? null : JSON.stringify([object, query]);
  const [state, setState] = useState<State<Body>>({ key: null, object: null });
  const [isLoading, setLoading] = useState(key !== null);
  const [turn, setTurn] = useState(0);
  // Before the browser paints: a read that begins later ends later.
  useLayoutEffect(() => {
    if (key === null) {
      setLoading(false);
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    setLoading(true);
    const get = gateway.get as unknown as Get;
    const options = { path: values, query: withoutEmpty(query), signal };
    untilAnswered(() => get(path, options), signal).then(
      (data) => {
        setState({ key, object, data: data as Body });
        setLoading(false);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setState({ key, object, error: asApiError(error) });
        setLoading(false);
      },
    );
    return () => controller.abort();
  }, [key, turn]);
  const isSame = object !== null && state.object === object;
  return {
    data: isSame ? state.data : undefined,
    error: isSame && state.key === key ? state.error : undefined,
    isLoading: isLoading || (object !== null && !isSame),
    reload: useCallback(() => setTurn((last) => last + 1), []),
  };
};
