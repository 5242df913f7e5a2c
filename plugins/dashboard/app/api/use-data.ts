import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from './api-error.ts';
import { request } from './request.ts';

/** The state of a read. While another page loads, the last one stays. */
export interface Loaded<Body> {
  readonly data: Body | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<Body> {
  readonly path: string | null;
  readonly data?: Body;
  readonly error?: ApiError;
}

const withoutQuery = (path: string | null): string | undefined => path?.split('?', 1)[0];

/** Reads a path of the operators' API; null: nothing to read yet. */
export const useData = <Body>(path: string | null): Loaded<Body> => {
  const [state, setState] = useState<State<Body>>({ path: null });
  const [isLoading, setLoading] = useState(path !== null);
  const [turn, setTurn] = useState(0);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (path === null) {
      setLoading(false);
      return undefined;
    }
    const controller = new AbortController();
    setLoading(true);
    request<Body>('GET', path, { signal: controller.signal }).then(
      (data) => {
        shown.current = path;
        setState({ path, data });
        setLoading(false);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState({ path, error: asApiError(error) });
        setLoading(false);
      },
    );
    return () => controller.abort();
  }, [path, turn]);
  const isSame = path !== null && withoutQuery(state.path) === withoutQuery(path);
  return {
    data: isSame ? state.data : undefined,
    error: isSame && state.path === path ? state.error : undefined,
    isLoading: isLoading || (path !== null && !isSame),
    reload: useCallback(() => setTurn((last) => last + 1), []),
  };
};
