import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps, PageRoute } from '../page-route.ts';
import { Button } from './button.tsx';
import { Empty } from './note.tsx';
import { Skeleton } from './page.tsx';

const loaded = new Map<string, ComponentType<PageProps>>();

/** A page, whose code is loaded when it is opened first. */
export const LazyPage = ({ load, ...props }: { readonly load: PageRoute['load'] } & PageProps) => {
  const name = load.toString();
  const [Component, setComponent] = useState(() => loaded.get(name));
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (Component) return;
    load().then(
      ({ default: found }) => {
        loaded.set(name, found);
        setComponent(() => found);
      },
      () => setMissing(true),
    );
  }, []);
  if (Component) return <Component {...props} />;
  if (!isMissing) return <Skeleton lines={6} />;
  return (
    <Empty icon="refresh" title="This page could not be loaded">
      <p>The gateway was updated or is not reachable.</p>
      <Button label="Reload" onClick={() => window.location.reload()} />
    </Empty>
  );
};
