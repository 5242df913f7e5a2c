import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/api-error.ts';
import type { Loaded } from '../api/use-data.ts';
import { ErrorNote } from './error-note.tsx';

/** Lines that stand for content that loads. */
export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => (
  <div class="skeleton" role="progressbar" aria-busy="true" aria-label="Loading">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} />
    ))}
  </div>
);

/** What was read, or its error, or a placeholder while it loads. */
export const Async = <Body,>({
  of: { data, error, isLoading, reload },
  lines,
  instead,
  children,
}: {
  readonly of: Loaded<Body>;
  readonly lines?: number;
  /** Shown instead of some errors. */
  readonly instead?: (error: ApiError) => ComponentChildren;
  readonly children: (data: Body) => ComponentChildren;
}) => {
  if (error) return <>{instead?.(error) ?? <ErrorNote error={error} onRetry={reload} />}</>;
  if (data === undefined) return <Skeleton {...(lines !== undefined && { lines })} />;
  return <div class={isLoading ? 'is-stale' : ''}>{children(data)}</div>;
};
