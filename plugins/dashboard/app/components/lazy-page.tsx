import type { PageProps, PageRoute } from '../page-route.ts';
import { Lazy } from './lazy.tsx';
import { Skeleton } from './page.tsx';

/** A page, whose code is loaded when it is opened first. */
export const LazyPage = (props: { readonly load: PageRoute['load'] } & PageProps) => (
  <Lazy fallback={<Skeleton lines={6} />} {...props} />
);
