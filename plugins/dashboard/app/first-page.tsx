import { useEffect } from 'preact/hooks';
import { Redirect } from 'wouter-preact';
import { Code } from './components/code.tsx';
import { Empty } from './components/empty.tsx';
import { Page } from './components/page.tsx';
import { hasRole } from './session.ts';
import { preferredTenant, tenants } from './tenants.ts';

const NoTenant = () => {
  useEffect(() => {
    document.title = 'Welcome · Rollgate';
  }, []);
  return (
    <Page title="Welcome to Rollgate">
      <Empty icon="door" title="There is no tenant yet">
        {hasRole('owner') ? (
          <>
            <p>
              A tenant is an organisation: its users, rooms, keys and log. Create the first one on
              the command line, then reload this page.
            </p>
            <Code of={'rollgate tenant create acme --name "Acme"'} what="the command" />
          </>
        ) : (
          <p>You have access to no tenant. Ask an owner to add one to your account.</p>
        )}
      </Empty>
    </Page>
  );
};

/** The home page of the tenant that was open last. */
export const FirstPage = () => {
  if (tenants.value === undefined) return null;
  const slug = preferredTenant();
  return slug === undefined ? <NoTenant /> : <Redirect to={`/t/${slug}`} replace />;
};
