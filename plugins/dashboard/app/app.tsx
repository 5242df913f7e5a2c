import { useState } from 'preact/hooks';
import { Link, Redirect, Route, Router, Switch } from 'wouter-preact';
import { Button } from './components/button.tsx';
import { Lazy } from './components/lazy.tsx';
import { LazyPage } from './components/lazy-page.tsx';
import { Layout } from './components/layout.tsx';
import { Empty, OutageNote } from './components/note.tsx';
import { Page } from './components/page.tsx';
import { SignInFrame } from './components/sign-in-frame.tsx';
import { Toasts } from './components/toasts.tsx';
import { outage } from './outage.ts';
import { ROUTES } from './routes.ts';
import { barrierOf, hasRole, session } from './session.ts';
import { pendingSetupLink } from './sign-in.ts';
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
          <Button icon="plus" label="Create tenant" onClick={() => setCreating(true)} />
        </Empty>
      ) : (
        <Empty icon="lock" title="No access to a tenant">
          <p>Ask an owner to add a tenant to your account.</p>
        </Empty>
      )}
      {isCreating && (
        <Lazy
          load={() => import('./components/create-tenant.tsx')}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
};

/** The home page of the tenant that was open last. */
const FirstPage = () => {
  if (tenants.value === undefined) return null;
  const slug = preferredTenant();
  return slug === undefined ? <NoTenant /> : <Redirect to={`/t/${slug}`} replace />;
};

const NotFound = () => (
  <Page title="Page not found">
    <Empty icon="search" title="There is no page at this address">
      <p>
        <Link href="/">Go to the home page</Link> or search with Ctrl-K or Cmd-K.
      </p>
    </Empty>
  </Page>
);

const here = (): string =>
  `${window.location.pathname}${window.location.search}`.replace(/^\/dashboard/, '');

const SignedIn = () => (
  <Layout>
    <Switch>
      <Route path="/">
        <FirstPage />
      </Route>
      {ROUTES.map(({ path, load, access, nav }) => (
        <Route key={path} path={path}>
          {({ slug = '', id = '' }: { readonly slug?: string; readonly id?: string }) =>
            barrierOf(access, slug) === undefined ? (
              <LazyPage key={`${slug} ${id}`} load={load} title={nav?.label} slug={slug} id={id} />
            ) : (
              <Lazy
                key={path}
                load={() => import('./components/no-access.tsx')}
                to={nav?.label ?? 'this page'}
                access={access}
                slug={slug}
              />
            )
          }
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
    <Lazy load={() => import('./components/always-there.tsx')} />
  </Layout>
);

const Starting = () =>
  outage.value ? (
    <SignInFrame title="Waiting for the gateway">
      <OutageNote />
    </SignInFrame>
  ) : (
    <main aria-busy="true" />
  );

const Pages = () => {
  if (session.value === undefined) return <Starting />;
  if (session.value === null)
    return <Redirect to={`/sign-in?return_to=${encodeURIComponent(here())}`} />;
  return pendingSetupLink.value === undefined ? (
    <SignedIn />
  ) : (
    <Lazy load={() => import('./components/open-guide.tsx')} link={pendingSetupLink.value} />
  );
};

/** Sign-in, or the dashboard. */
export const App = () => (
  <Router base="/dashboard">
    <Switch>
      <Route path="/sign-in">
        <LazyPage load={() => import('./pages/sign-in.tsx')} slug="" id="" />
      </Route>
      <Route path="/guide" nest>
        {session.value === undefined ? (
          <Starting />
        ) : (
          <Lazy load={() => import('./components/guide.tsx')} />
        )}
      </Route>
      <Route path="/signed-in">
        <LazyPage load={() => import('./pages/signed-in.tsx')} slug="" id="" />
      </Route>
      <Route path="/help/*">
        <main class="setup-only">
          <LazyPage load={() => import('./pages/help.tsx')} title="Help" slug="" id="" />
        </main>
      </Route>
      <Route path="/setup">
        <LazyPage load={() => import('./pages/sign-in.tsx')} slug="" id="" />
      </Route>
      <Route>
        <Pages />
      </Route>
    </Switch>
    <Toasts />
  </Router>
);
