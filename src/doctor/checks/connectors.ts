import { readSlugs } from '../../store/inspect/inspect-database.js';
import { type Check, ok, skip, warn } from '../check-result.js';

/** Of a section that may have errors, which the check "configuration" reports. */
const tenantOf = (section: unknown): string | undefined => {
  if (typeof section !== 'object' || section === null) return undefined;
  const { tenant, enabled = true } = section as {
    readonly tenant?: unknown;
    readonly enabled?: unknown;
  };
  const isEnabled = enabled !== false && enabled !== 'false';
  return isEnabled && typeof tenant === 'string' ? tenant : undefined;
};

/** The tenants of enabled connectors exist: without its tenant, a connector never runs. */
export const checkConnectors: Check = async ({ config, database }) => {
  const connectors = Object.entries(config().connectors).flatMap(([name, section]) => {
    const tenant = tenantOf(section);
    return tenant === undefined ? [] : [{ name, tenant }];
  });
  if (connectors.length === 0) return skip('No connectors are enabled.');
  const slugs = await readSlugs(
    await database(),
    connectors.map(({ tenant }) => tenant),
  );
  const lost = connectors.filter(({ tenant }) => !slugs.has(tenant));
  if (lost.length === 0) return ok('The tenants of all connectors exist.');
  return warn(
    `Connectors without their tenant: ${lost.map(({ name, tenant }) => `${name} (${tenant})`).join(', ')}.`,
    'Create the tenant, or correct "tenant" in the section of the connector.',
    { connectors: lost },
  );
};
