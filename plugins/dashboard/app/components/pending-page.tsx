import type { Loaded } from '../api/use-data.ts';
import { Async } from './async.tsx';
import { Page } from './page.tsx';

/** The page of an object that is not read yet, or could not be. */
export const PendingPage = ({
  of,
  kind,
  up,
}: {
  readonly of: Loaded<unknown>;
  /** "Room": the title while its name is not known. */
  readonly kind: string;
  readonly up: { readonly href: string; readonly title: string };
}) => (
  <Page title={kind} up={up}>
    <Async of={of} lines={8}>
      {() => null}
    </Async>
  </Page>
);
