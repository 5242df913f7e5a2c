import { Router, Switch, Route, Redirect } from 'wouter-preact';
import { Layout } from './components/layout.tsx';
import { LazyPage } from './components/lazy-page.tsx';
import { OutageNote } from './components/outage-note.tsx';
import { StepUpDialog } from './components/step-up-dialog.tsx';
import { Toasts } from './components/toasts.tsx';
import { NoAccess } from './components/no-access.tsx';
import { FirstPage } from './first-page.tsx';
import { ROUTES } from './routes.ts';
import { barrierOf, isSetupSession, session } from './session.ts';

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
              <LazyPage key={`${slug} ${id}`} load={load} slug={slug} id={id} />
            ) : (
              <NoAccess key={path} to={nav?.label ?? 'this page'} access={access} slug={slug} />
            )
          }
        </Route>
      ))}
      <Route>
        <LazyPage load={() => import('./pages/not-found.tsx')} slug="" id="" />
      </Route>
    </Switch>
    <StepUpDialog />
  </Layout>
);

/** For the administrator of a customer, who has a setup link. */
const SetupOnly = () => (
  <main class="setup-only">
    <p class="sign-in-brand">Rollgate</p>
    <OutageNote />
    <LazyPage
      load={() => import('./pages/setup.tsx')}
      slug={session.value?.operator.tenants?.[0] ?? ''}
      id=""
    />
  </main>
);

const Pages = () => {
  if (session.value === undefined)
    return (
      <main class="starting" aria-busy="true">
        <OutageNote />
      </main>
    );
  if (session.value === null)
    return <Redirect to={`/sign-in?return_to=${encodeURIComponent(here())}`} />;
  return isSetupSession() ? <SetupOnly /> : <SignedIn />;
};

/** Sign-in, or the dashboard. */
export const App = () => (
  <Router base="/dashboard">
    <Switch>
      <Route path="/sign-in">
        <LazyPage load={() => import('./pages/sign-in.tsx')} slug="" id="" />
      </Route>
      <Route path="/setup">
        <LazyPage load={() => import('./pages/first-owner.tsx')} slug="" id="" />
      </Route>
      <Route>
        <Pages />
      </Route>
    </Switch>
    <Toasts />
  </Router>
);
