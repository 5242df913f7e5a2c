import { signal } from '@preact/signals';
import { gateway, type Schema } from './ui.ts';
import { LAST_TENANT } from './early-reads.ts';
import { untilAnswered } from './outage.ts';

/** The tenants that the operator can see; undefined: not read yet. */
export const tenants = signal<readonly Schema<'Tenant'>[] | undefined>(undefined);

export const loadTenants = async (): Promise<void> => {
  const query = { limit: 500 };
  const page = await untilAnswered(() => gateway.get('/admin/v1/tenants', { query }));
  tenants.value = page.tenants;
};

/** The tenant of the last visit, else the first. */
export const preferredTenant = (): string | undefined => {
  const last = localStorage.getItem(LAST_TENANT);
  const found = tenants.value?.find(({ slug }) => slug === last) ?? tenants.value?.[0];
  return found?.slug;
};

export const rememberTenant = (slug: string): void => localStorage.setItem(LAST_TENANT, slug);
