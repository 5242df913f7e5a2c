import { useState } from 'preact/hooks';
import { Redirect } from 'wouter-preact';
import { CreateTenant } from './components/create-tenant.tsx';
import { Empty } from './components/empty.tsx';
import { Icon } from './components/icon.tsx';
import { Page } from './components/page.tsx';
import { hasRole } from './session.ts';
import { preferredTenant, tenants } from './tenants.ts';

const NoTenant = () => {
  const [isCreating, setCreating] = useState(false);
  return (
    <Page title="Welcome to Rollgate">
      {hasRole('owner') ? (
        <Empty icon="door" title="Create your first tenant">
          <p>
            A tenant is an organisation with its own users, rooms, API keys and provisioning log.
          </p>
          <button type="button" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create tenant
          </button>
        </Empty>
      ) : (
        <Empty icon="lock" title="No access to a tenant">
          <p>Ask an owner to add a tenant to your account.</p>
        </Empty>
      )}
      {isCreating && <CreateTenant onClose={() => setCreating(false)} />}
    </Page>
  );
};

/** The home page of the tenant that was open last. */
export const FirstPage = () => {
  if (tenants.value === undefined) return null;
  const slug = preferredTenant();
  return slug === undefined ? <NoTenant /> : <Redirect to={`/t/${slug}`} replace />;
};
