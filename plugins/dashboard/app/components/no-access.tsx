import { Link } from 'wouter-preact';
import type { PageAccess } from '../page-route.ts';
import { barrierOf, ownTenants, session, Empty } from '../ui.ts';
import { Page } from './page.tsx';

/** Instead of a page that the operator cannot open. */
const NoAccess = ({
  to,
  access,
  slug,
}: {
  /** "Operators" */
  readonly to: string;
  readonly access: PageAccess;
  readonly slug: string;
}) => {
  const barrier = barrierOf(access, slug);
  const { name, role } = session.value?.operator ?? { name: '', role: '' };
  const limit = `Your account is limited to ${ownTenants()?.join(', ') ?? ''}.`;
  return (
    <Page title="No access">
      <Empty
        icon="lock"
        title={
          barrier === 'tenant'
            ? `You cannot see the tenant ${slug}`
            : barrier === 'gateway'
              ? `You cannot see ${to}`
              : `Your role ${role} cannot see ${to}`
        }
      >
        <p>
          {barrier === 'tenant' && `It does not exist, or belongs to others. ${limit}`}
          {barrier === 'gateway' && `It concerns all tenants. ${limit}`}
          {barrier === 'role' &&
            `You are signed in as ${name}. It requires the role ${access.role}.`}{' '}
          Ask an owner to change your account.
        </p>
        <p>
          <Link href="/">Go to the home page</Link>
        </p>
      </Empty>
    </Page>
  );
};

export default NoAccess;
