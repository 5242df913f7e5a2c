import { useData } from './api/use-data.ts';
import { isSetupSession } from './session.ts';
import { tenants } from './tenants.ts';

/** The roles that users of a tenant may have: those of the role mappings, and the default one. */
export const useRoles = (slug: string): readonly string[] => {
  const read = useData(
    '/admin/v1/tenants/{slug}/role-mappings',
    isSetupSession() ? null : { path: { slug }, query: { limit: 500 } },
  );
  const byDefault = tenants.value?.find((tenant) => tenant.slug === slug)?.default_role;
  const roles = (read.data?.role_mappings ?? []).map(({ role }) => role);
  return [...new Set([...(byDefault === undefined ? [] : [byDefault]), ...roles])].sort();
};
