import { useCallback, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { findInTenant, type FoundPage } from '../find-anything.ts';
import type { OperatorRole } from '../api/schema.ts';
import { isUsable, NAV_LINES } from '../routes.ts';
import { hasRole } from '../session.ts';
import { tenants } from '../tenants.ts';
import { Dialog } from './dialog.tsx';
import { Lookup } from './lookup.tsx';

const matches = (text: string, ...words: readonly (string | undefined)[]): boolean =>
  words.some((word) => word?.toLowerCase().includes(text.toLowerCase()));

const findPages = (slug: string | undefined, text: string): readonly FoundPage[] =>
  NAV_LINES.filter(
    (line) => isUsable(line, slug) && matches(text, line.label, line.words, line.section),
  ).map(({ path, label, icon, section }) => ({
    id: path,
    title: label,
    icon,
    hint: section === '' ? 'Page' : section,
    href: path.replace(':slug', slug ?? ''),
  }));

/** What the search finds besides pages: what one can do, and questions. */
const ACTIONS: readonly (Pick<FoundPage, 'title' | 'icon' | 'href'> & {
  readonly words: string;
  readonly role: OperatorRole;
})[] = (
  [
    ['Create room', 'plus', '/rooms?create=yes', 'add channel', 'admin'],
    ['Create webhook', 'plus', '/settings/webhooks?create=yes', 'add endpoint', 'admin'],
    ['Create SMS list', 'plus', '/sms-lists?create=yes', 'add recipients', 'operator'],
    ['Create API key', 'plus', '/settings/api-keys?create=yes', 'add token', 'admin'],
    ['Why is a user not in a room?', 'info', '/users', 'help explain missing', 'auditor'],
    ['Why was a request refused?', 'info', '/log?outcome=refused', 'help error', 'auditor'],
    ['Who takes the seats?', 'info', '/users?active=true', 'help full capacity', 'auditor'],
  ] as const
).map(([title, icon, href, words, role]) => ({ title, icon, href, words, role }));

const findActions = (slug: string | undefined, text: string): readonly FoundPage[] =>
  slug === undefined || text === ''
    ? []
    : ACTIONS.filter(({ title, words, role }) => matches(text, title, words) && hasRole(role)).map(
        ({ title, icon, href }) => ({
          ...{ id: href, title, icon, href: `/t/${slug}${href}` },
          hint: icon === 'plus' ? 'Action' : 'Help',
        }),
      );

/** Loads the API reference, which is outside of the dashboard. */
const REFERENCE: FoundPage = {
  ...{ id: 'reference', title: 'API reference', icon: 'info', hint: 'Help', href: '/docs/' },
};

/** The result that shows the rest. */
const REST: FoundPage = { id: 'rest', title: 'Show all results', icon: 'list', href: '' };
const ALL = 500;

const findTenants = (slug: string | undefined, text: string): readonly FoundPage[] =>
  (tenants.value ?? [])
    .filter(
      (tenant) => text !== '' && tenant.slug !== slug && matches(text, tenant.name, tenant.slug),
    )
    .slice(0, 5)
    .map((tenant) => ({
      id: tenant.slug,
      title: tenant.name,
      subtitle: tenant.slug,
      icon: 'door',
      hint: 'Tenant',
      href: `/t/${tenant.slug}`,
    }));

/** Finds users, rooms, keys, pages and tenants (Cmd-K). */
export const CommandPalette = ({
  slug,
  onClose,
}: {
  readonly slug: string | undefined;
  readonly onClose: () => void;
}) => {
  const [, navigate] = useLocation();
  const [limit, setLimit] = useState<number>();
  const find = useCallback(
    async (text: string, signal: AbortSignal) => {
      const { found, hasMore } =
        slug === undefined
          ? { found: [], hasMore: false }
          : await findInTenant(slug, text, signal, limit);
      return [
        ...found,
        ...(hasMore && limit === undefined ? [REST] : []),
        ...findPages(slug, text),
        ...findActions(slug, text),
        ...(text !== '' && matches(text, 'API reference', 'help docs') ? [REFERENCE] : []),
        ...findTenants(slug, text),
      ];
    },
    [slug, limit],
  );
  return (
    <Dialog title="Search" plain onClose={onClose}>
      <Lookup
        label="Search"
        placeholder="Search users, rooms, keys and pages"
        find={find}
        isOpenAtOnce
        nothing="No results. Search matches the beginning of names."
        onTake={(result) => {
          if (result === REST) {
            setLimit(ALL);
            return;
          }
          onClose();
          if (result === REFERENCE) window.location.assign(result.href);
          else navigate(result.href);
        }}
      />
      <p class="palette-keys" aria-hidden="true">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose <kbd>↵</kbd> open <kbd>Esc</kbd> close
      </p>
    </Dialog>
  );
};
