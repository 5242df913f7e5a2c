import { useCallback } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { findInTenant, type FoundPage } from '../find-anything.ts';
import { isUsable, NAV_LINES } from '../routes.ts';
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
  const find = useCallback(
    async (text: string, signal: AbortSignal) => {
      const inside = slug === undefined ? [] : await findInTenant(slug, text, signal);
      const pages = findPages(slug, text);
      return [...inside, ...pages, ...findTenants(slug, text)];
    },
    [slug],
  );
  return (
    <Dialog title="Search" plain onClose={onClose}>
      <Lookup
        label="Search"
        placeholder="Search users, rooms, keys and pages"
        find={find}
        isOpenAtOnce
        nothing="No results. Search matches the beginning of names."
        onTake={({ href }) => {
          onClose();
          navigate(href);
        }}
      />
      <p class="palette-keys" aria-hidden="true">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose <kbd>↵</kbd> open <kbd>Esc</kbd> close
      </p>
    </Dialog>
  );
};
