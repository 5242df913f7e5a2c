import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { density, theme } from '../preferences.ts';
import {
  currentSlug,
  hrefOf,
  isUsable,
  NAV_LINES,
  NAVIGATION,
  type NavLine,
  tabsOf,
} from '../routes.ts';
import { hasRole, ownTenants, session, Button, ErrorNote, OutageNote } from '../ui.ts';
import { signOut } from '../sign-in.ts';
import { loadTenants, preferredTenant, rememberTenant, tenants } from '../tenants.ts';
import { Segments } from './fields.tsx';
import { Icon } from './icon.tsx';
import { Lazy } from './lazy.tsx';
import { showToast } from './toasts.tsx';

/** Whether the operator's account includes the tenant. */
const canUse = (slug: string): boolean => ownTenants()?.includes(slug) ?? true;

/** The value of the line that creates a tenant: no slug. */
const NEW = '+';
/** And of the one that opens the list. */
const ALL = '*';

const TenantSwitcher = ({
  slug,
  onCreate,
}: {
  readonly slug: string | undefined;
  readonly onCreate: () => void;
}) => {
  const [, navigate] = useLocation();
  return (
    <label class="tenant-switcher">
      <span class="visually-hidden">Tenant</span>
      <span class="tenant-mark" aria-hidden="true">
        {(tenants.value?.find((tenant) => tenant.slug === slug)?.name ?? '·').slice(0, 1)}
      </span>
      <select
        value={slug ?? ''}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value;
          currentTarget.value = slug ?? '';
          if (chosen === NEW) onCreate();
          else navigate(chosen === ALL ? '/tenants' : `/t/${chosen}`);
        }}
        disabled={tenants.value === undefined || tenants.value.length === 0}
      >
        {tenants.value?.length === 0 && <option value="">No tenants</option>}
        {tenants.value?.map((tenant) => (
          <option key={tenant.slug} value={tenant.slug}>
            {tenant.name}
          </option>
        ))}
        {(tenants.value?.length ?? 0) > 1 && <option value={ALL}>All tenants…</option>}
        {hasRole('owner') && <option value={NEW}>Create tenant…</option>}
      </select>
    </label>
  );
};

const NavLink = ({ line, slug }: { readonly line: NavLine; readonly slug: string }) => {
  const [location] = useLocation();
  const isCurrent = tabsOf(line).some((tab) => {
    const href = hrefOf(tab, slug);
    return location === href || (tab.path !== '/t/:slug' && location.startsWith(`${href}/`));
  });
  return (
    <li>
      <Link
        href={hrefOf(line, slug)}
        class="nav-link"
        {...(isCurrent && { 'aria-current': 'page' })}
      >
        <Icon name={line.icon} />
        {line.group ?? line.label}
      </Link>
    </li>
  );
};

const Navigation = ({ slug }: { readonly slug: string | undefined }) => (
  <nav class="nav" aria-label="Dashboard">
    {NAVIGATION.map(({ section, lines }) => {
      const usable = lines.filter((line) => isUsable(line, slug));
      return (
        usable.length > 0 && (
          <div key={section} class="nav-section">
            {section !== '' && <p class="nav-title">{section}</p>}
            <ul class="nav-list">
              {usable.map((line) => (
                <NavLink key={line.path} line={line} slug={slug ?? ''} />
              ))}
            </ul>
          </div>
        )
      );
    })}
  </nav>
);

/** Above a page that is one of several tabs. */
const Tabs = ({ slug }: { readonly slug: string | undefined }) => {
  const [location] = useLocation();
  const current = NAV_LINES.find((line) => hrefOf(line, slug) === location);
  if (current?.group === undefined) return null;
  return (
    <nav class="tabs" aria-label={current.group}>
      {tabsOf(current).map((tab) => (
        <Link
          key={tab.path}
          href={hrefOf(tab, slug)}
          {...(tab === current && { 'aria-current': 'page' })}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
};

const Account = () => {
  const operator = session.value?.operator;
  if (!operator) return null;
  return (
    <div class="account">
      <div class="account-name">
        <Link href="/account" title="Your account">
          <strong title={operator.email ?? operator.name}>{operator.name}</strong>
        </Link>
        <small>{operator.role}</small>
      </div>
      <Button
        icon="out"
        class="icon-button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() =>
          void signOut().catch((fault: unknown) => showToast(asApiError(fault).message, 'bad'))
        }
      />
      <div class="preferences">
        <Segments
          label="Theme"
          value={theme.value}
          choices={[
            ['system', 'Theme of the system', 'system'],
            ['light', 'Light theme', 'sun'],
            ['dark', 'Dark theme', 'moon'],
          ]}
          onChange={(chosen) => (theme.value = chosen)}
        />
        <Segments
          label="Rows"
          value={density.value}
          choices={[
            ['comfortable', 'Comfortable rows', 'rows'],
            ['compact', 'Compact rows', 'rows-compact'],
          ]}
          onChange={(chosen) => (density.value = chosen)}
        />
      </div>
    </div>
  );
};

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** What a key opens: Cmd-K or Ctrl-K, and `/` outside of fields, the search; `?` the shortcuts. */
const openedBy = (event: KeyboardEvent): 'search' | 'shortcuts' | undefined => {
  const hasModifier = event.metaKey || event.ctrlKey;
  if (hasModifier && event.key.toLowerCase() === 'k') return 'search';
  const { target } = event;
  const isField = target instanceof Element && target.closest('input, textarea, select') !== null;
  if (isField || hasModifier) return undefined;
  return event.key === '/' ? 'search' : event.key === '?' ? 'shortcuts' : undefined;
};

/** Keeps what is typed until the search has been loaded. */
const TypedEarly = ({ onType }: { readonly onType: (key: string) => void }) => {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.length !== 1 || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      onType(event.key);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return null;
};

/** Navigation, search and account, around the page. */
export const Layout = ({ children }: { readonly children: ComponentChildren }) => {
  const [location] = useLocation();
  const [open, setOpen] = useState<'search' | 'shortcuts' | 'tenant'>();
  const typed = useRef('');
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [error, setError] = useState<ApiError>();
  const main = useRef<HTMLElement>(null);
  const opened = currentSlug(location);
  const slug = opened !== undefined && canUse(opened) ? opened : preferredTenant();
  const load = () => {
    setError(undefined);
    loadTenants().catch((fault: unknown) => setError(asApiError(fault)));
  };
  useEffect(load, []);
  useEffect(() => {
    setMenuOpen(false);
    if (opened !== undefined && canUse(opened)) rememberTenant(opened);
  }, [location]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setMenuOpen(false);
      const opened = openedBy(event);
      if (opened === undefined) return;
      event.preventDefault();
      setOpen(opened);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      <a
        class="skip-link visually-hidden"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <div class={isMenuOpen ? 'shell is-menu-open' : 'shell'}>
        <header class="topbar split">
          <Button
            icon={isMenuOpen ? 'close' : 'menu'}
            class="icon-button"
            aria-label="Menu"
            aria-expanded={isMenuOpen}
            aria-controls="sidebar"
            onClick={() => setMenuOpen(!isMenuOpen)}
          />
          <Link href="/" class="brand">
            Rollgate
          </Link>
          <Button
            icon="search"
            class="icon-button"
            aria-label="Search"
            onClick={() => setOpen('search')}
          />
        </header>
        <aside class="sidebar" id="sidebar" aria-label="Tenant and pages">
          <TenantSwitcher slug={slug} onCreate={() => setOpen('tenant')} />
          <button type="button" class="search-button secondary" onClick={() => setOpen('search')}>
            <Icon name="search" />
            <span>Search</span>
            <kbd>{IS_APPLE ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
          <Navigation slug={slug} />
          <Account />
        </aside>
        <main id="main" ref={main} tabIndex={-1}>
          <OutageNote />
          {session.value?.by === 'link' && (
            <Lazy load={() => import('./passkey-note.tsx')} location={location} />
          )}
          <Tabs slug={slug} />
          {error ? <ErrorNote error={error} onRetry={load} /> : children}
        </main>
      </div>
      {open === 'search' && (
        <Lazy
          load={() => import('./command-palette.tsx')}
          fallback={<TypedEarly onType={(key) => (typed.current += key)} />}
          slug={slug}
          typed={typed}
          onClose={() => {
            typed.current = '';
            close();
          }}
        />
      )}
      {open === 'shortcuts' && <Lazy load={() => import('./shortcuts.tsx')} onClose={close} />}
      {open === 'tenant' && <Lazy load={() => import('./create-tenant.tsx')} onClose={close} />}
    </>
  );
};
