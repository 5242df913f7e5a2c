import type { ComponentChildren, ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button, Empty } from '../ui.ts';

const loaded = new Map<string, unknown>();

/** A component, whose code is loaded when it is shown first. */
export const Lazy = <Props extends object>({
  load,
  fallback,
  ...props
}: {
  readonly load: () => Promise<{ readonly default: ComponentType<Props> }>;
  /** Until then. */
  readonly fallback?: ComponentChildren;
} & Props) => {
  const name = load.toString();
  const [Component, setComponent] = useState(
    () => loaded.get(name) as ComponentType<Props> | undefined,
  );
  const [isMissing, setMissing] = useState(false);
  // Before the browser paints, so that what is loaded already appears at once.
  useLayoutEffect(() => {
    if (Component) return;
    load().then(
      ({ default: found }) => {
        loaded.set(name, found);
        setComponent(() => found);
      },
      () => setMissing(true),
    );
  }, []);
  if (Component) return <Component {...(props as unknown as Props)} />;
  if (!isMissing) return <>{fallback}</>;
  return (
    <Empty icon="refresh" title="This page could not be loaded">
      <p>The gateway was updated or is not reachable.</p>
      <Button label="Reload" onClick={() => window.location.reload()} />
    </Empty>
  );
};
