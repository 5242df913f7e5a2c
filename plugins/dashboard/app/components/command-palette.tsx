import { useCallback, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { findInTenant, type FoundPage } from '../find-anything.ts';
import { type OperatorRole, hasRole } from '../ui.ts';
import { isUsable, NAV_LINES } from '../routes.ts';
import { tenants } from '../tenants.ts';
import { Dialog } from './dialog.tsx';
import { Lookup } from './lookup.tsx';

const WORD = /[\p{L}\p{N}]+/gu;
const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];

/** Whether each word that was typed begins one of these, so that "create key" finds "Create API key". */
const matches = (text: string, ...words: readonly (string | undefined)[]): boolean => {
  const known = wordsIn(words.join(' '));
  return wordsIn(text).every((word) => known.some((one) => one.startsWith(word)));
};

const findPages = (slug: string | undefined, text: string): readonly FoundPage[] =>
  NAV_LINES.filter(
    (line) => isUsable(line, slug) && matches(text, line.label, line.words, line.section),
  ).map(({ path, label, icon, section }) => ({
    id: path,
    title: label,
    icon,
    group: 'Pages',
    ...(section !== '' && { hint: section }),
    href: path.replace(':slug', slug ?? ''),
  }));

type Line = readonly [title: string, path: string, words: string, role: OperatorRole];

/** What one can do, on pages of the tenant. */
const ACTIONS: readonly Line[] = [
  ['Create room', '/rooms?create=yes', 'add channel', 'admin'],
  ['Create API key', '/settings/api-keys?create=yes', 'add token', 'admin'],
  ['Rotate an API key', '/settings/api-keys', 'replace token secret leaked', 'admin'],
  ['Create webhook', '/settings/webhooks?create=yes', 'add endpoint', 'admin'],
  ['Rotate the secret of a webhook', '/settings/webhooks', 'replace leaked signing', 'admin'],
  ['Create SMS list', '/sms-lists?create=yes', 'add recipients', 'operator'],
  ['Change the number of seats', '/settings/tenant', 'raise capacity licences', 'admin'],
  ['Edit the tenant', '/settings/tenant', 'rename default role provisioning', 'admin'],
  ['Edit the tenant as a file', '/settings/tenant/file', 'export yaml json', 'admin'],
  ['Export users as CSV', '/users', 'download list', 'auditor'],
  ['Connect an identity provider', '/setup', 'okta entra setup link customer', 'admin'],
  ['Change role mappings', '/admin/security/sso/directory-roles', 'add create test', 'admin'],
  ['Approve a held run', '/connectors', 'connector reject plan', 'operator'],
  ['Capture requests', '/requests', 'record what was sent debug replay dry run', 'operator'],
];

/** Questions, and the page that answers each. */
const HELP: readonly Line[] = [
  ['Why is a user not in a room?', '/rooms', 'help explain missing member', 'auditor'],
  ['Why was a request refused?', '/log?outcome=refused', 'help error rejected', 'auditor'],
  ['Why was a user deactivated?', '/users?active=false', 'help inactive sign in', 'auditor'],
  [
    'Why does a delivery fail?',
    '/settings/webhooks',
    'help webhook retry recover redeliver',
    'auditor',
  ],
  ['Who takes the seats?', '/users?active=true', 'help full capacity', 'auditor'],
  ['What did the identity provider send?', '/requests', 'help scim capture debug', 'auditor'],
];

const findLines = (
  slug: string | undefined,
  text: string,
  { lines, group, icon }: Pick<FoundPage, 'icon'> & { lines: readonly Line[]; group: string },
): readonly FoundPage[] =>
  slug === undefined || text === ''
    ? []
    : lines
        .filter(([title, , words, role]) => matches(text, title, words) && hasRole(role))
        .map(([title, path]) => ({ id: title, title, icon, group, href: `/t/${slug}${path}` }));

/** Loads the API reference, which is outside of the dashboard. */
const REFERENCE: FoundPage = {
  ...{ id: 'reference', title: 'API reference', icon: 'info', group: 'Help', href: '/docs/' },
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
      group: 'Tenants',
      href: `/t/${tenant.slug}`,
    }));

/** Finds users, rooms, keys, pages and tenants (Cmd-K). */
const CommandPalette = ({
  slug,
  typed,
  onClose,
}: {
  readonly slug: string | undefined;
  /** What was typed before it was loaded. */
  readonly typed: { readonly current: string };
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
        ...findLines(slug, text, { lines: ACTIONS, group: 'Actions', icon: 'bolt' }),
        ...findLines(slug, text, { lines: HELP, group: 'Help', icon: 'info' }),
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
        placeholder="Search people, rooms, requests, pages and actions"
        find={find}
        isOpenAtOnce
        typedBefore={typed.current}
        nothing="No results. Search matches the beginning of each word of a name."
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
      <p class="palette-keys row" aria-hidden="true">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose <kbd>↵</kbd> open <kbd>Esc</kbd> close
      </p>
    </Dialog>
  );
};

export default CommandPalette;
