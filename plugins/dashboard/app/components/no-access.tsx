import { Link } from 'wouter-preact';
import type { PageAccess } from '../page-route.ts';
import { session } from '../session.ts';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

/** Instead of a page that the operator cannot open. */
export const NoAccess = ({ of: { role } }: { readonly of: PageAccess }) => (
  <Page title="No access to this page">
    <Empty icon="lock" title={role ? `It needs the role ${role}` : 'It concerns all tenants'}>
      <p>
        {role
          ? `You are signed in as ${session.value?.operator.name ?? ''}, with the role ${session.value?.operator.role ?? ''}.`
          : 'Your account is bound to some of them.'}{' '}
        Ask an owner to change your account.
      </p>
      <p>
        <Link href="/">Go to the home page</Link>
      </p>
    </Empty>
  </Page>
);
