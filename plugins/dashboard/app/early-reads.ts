/** Until when the session of this browser lasts at least. */
const ENDS_AT = 'rollgate-session-ends';
/** The tenant of the last visit. */
export const LAST_TENANT = 'rollgate-tenant';

/** What was read early is shown at once or not at all. */
const KEPT_MS = 10_000;

declare global {
  interface Window {
    /** By address. The script in the head of the page begins them; the rest of the code takes them. */
    earlyReads?: Map<string, Promise<Response | undefined>>;
  }
}

const begun = (window.earlyReads ??= new Map());

const begin = (address: string): void => {
  const read = fetch(address, { headers: { accept: 'application/json' } }).catch(() => undefined);
  begun.set(address, read);
  void read.then(() => setTimeout(() => begun.delete(address), KEPT_MS));
};

/** Remembers whether the next visit may begin with reads in the session. */
export const rememberSession = (endsAt: string | null): void => {
  if (endsAt === null) localStorage.removeItem(ENDS_AT);
  else localStorage.setItem(ENDS_AT, endsAt);
};

/**
 * Begins the reads of the first page while the rest of the dashboard loads: on a slow line, each
 * wait counts. Without a session, browsers would report errors.
 */
export const beginEarlyReads = ({ pathname }: Location): void => {
  const [, slug = pathname === '/dashboard/' ? localStorage.getItem(LAST_TENANT) : undefined] =
    /^\/dashboard\/t\/([\w-]+)$/.exec(pathname) ?? [];
  begin('/admin/v1/sign-in');
  // Pages without this session, or before it: a sign-in must not find what was read without one.
  if (/^\/dashboard\/(guide|help|setup|sign-in)/.test(pathname)) return;
  if (!(Date.parse(localStorage.getItem(ENDS_AT) ?? '') > Date.now())) return;
  begin('/admin/v1/tenants?limit=500');
  if (slug != null) begin(`/admin/v1/tenants/${slug}/overview`);
};

/** The response of a read that was begun early, once. */
export const takeEarlyRead = async (address: string): Promise<Response | undefined> => {
  const read = begun.get(address);
  begun.delete(address);
  return read;
};
