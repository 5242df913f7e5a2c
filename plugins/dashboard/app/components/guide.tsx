import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { counted } from '../counted.ts';
import { useData } from '../api/use-data.ts';
import { hrefOf, isUsable, NAV_LINES, ROUTES } from '../routes.ts';
import { barrierOf, isSetupSession, ownTenants, siteName } from '../session.ts';
import { brandName, leaveGuide, providerName } from '../sign-in.ts';
import { useAction } from '../use-action.ts';
import { useReloads } from '../use-polling.ts';
import { Button } from './button.tsx';
import { Lazy } from './lazy.tsx';
import { LazyPage } from './lazy-page.tsx';
import { ErrorNote, Note, OutageNote } from './note.tsx';
import { Brand, SignInFrame, useBrandColours } from './sign-in-frame.tsx';
import { Time } from './time.tsx';

/** The lines of the navigation in the order in which a customer needs them. */
const TABS = ['Identity provider', 'Connections', 'Users', 'Rooms', 'Webhooks'];

/** Whose pages these are, how many seats are left, and the tabs. */
const Head = ({ slug }: { readonly slug: string }) => {
  const [location] = useLocation();
  const { data, reload } = useData('/admin/v1/tenants/{slug}/setup', { path: { slug } });
  useReloads(reload);
  const { capacity = null, provisioned = 0, available = null } = data?.seats ?? {};
  const tabs = TABS.flatMap((label) => NAV_LINES.filter((line) => line.label === label)).filter(
    (line) => isUsable(line, slug) && (line.label !== 'Webhooks' || data?.integrations === true),
  );
  return (
    <>
      <p class="cluster">
        <strong>{data?.tenant_name ?? slug}</strong>
        {data && (
          <span class="quiet">
            {capacity === null
              ? `${counted(provisioned, 'seat')} taken`
              : `${provisioned} of ${counted(capacity, 'seat')} taken`}
          </span>
        )}
        {data?.link_expires_at != null && (
          <span class="quiet">
            Your link works until <Time at={data.link_expires_at} form="absolute" />
          </span>
        )}
      </p>
      {available === 0 && (
        <Note tone="warning">
          <p>No seats left. New users are refused. Ask {providerName()} for more seats.</p>
        </Note>
      )}
      <nav class="tabs" aria-label="Sections">
        {tabs.map((line) => {
          const href = hrefOf(line, slug);
          return (
            <Link
              key={href}
              href={href}
              {...(location.startsWith(href) && { 'aria-current': 'page' })}
            >
              {line.label}
            </Link>
          );
        })}
      </nav>
    </>
  );
};

/** The pages that the administrator of a customer, who has a setup link, may open of those of operators. */
const Guide = () => {
  const { isBusy, error, run } = useAction();
  useBrandColours();
  siteName.value = brandName();
  if (!isSetupSession())
    return (
      <SignInFrame title="The guide is closed">
        <Note>
          <p>
            Open your setup link again. If it no longer works, it has expired or was revoked: ask
            for a new one.
          </p>
        </Note>
      </SignInFrame>
    );
  const slug = ownTenants()?.[0] ?? '';
  return (
    <main>
      <div class="split setup-bar">
        <Brand />
        <Button
          icon="out"
          label="Leave the guide"
          class="secondary small"
          isBusy={isBusy}
          onClick={() => void run(leaveGuide)}
        />
      </div>
      <OutageNote />
      {error && <ErrorNote error={error} />}
      <Head slug={slug} />
      <Switch>
        {ROUTES.filter(({ access }) => barrierOf(access, slug) === undefined).map(
          ({ path, load, nav }) => (
            <Route key={path} path={path}>
              {({ id = '' }: { readonly id?: string }) => (
                <LazyPage key={id} load={load} title={nav?.label} slug={slug} id={id} />
              )}
            </Route>
          ),
        )}
        <Route>
          <Redirect to={`/t/${slug}/setup`} replace />
        </Route>
      </Switch>
      <Lazy load={() => import('./always-there.tsx')} />
    </main>
  );
};

export default Guide;
