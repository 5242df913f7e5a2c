import type { PageProps, PageRoute } from '../page-route.ts';
import { Lazy } from './lazy.tsx';
import { Page, Skeleton } from './page.tsx';

/** A page, whose code is loaded when it is opened first; in the frame of a page until then. */
export const LazyPage = ({
  title = 'Loading…',
  ...props
}: { readonly load: PageRoute['load']; readonly title?: string | undefined } & PageProps) => (
  <Lazy
    fallback={
      <Page title={title}>
        <Skeleton lines={6} />
      </Page>
    }
    {...props}
  />
);
