import { z } from 'zod';
import { isSlug } from '../domain/tenant/tenant.js';
import type { CliContext } from './cli-context.js';
import type { Complete, Typed } from './completions.js';
import type { Resource } from './resource.js';
import { type Access, ADMIN_ONLY, openSessionWith, type Session } from './session.js';

/** A completion that takes longer annoys more than it helps. */
const TIME_LIMIT_MS = 800;
const MAX_ITEMS = 500;

type Named = Pick<Resource<unknown>, 'items' | 'view' | 'label' | 'searchQuery'>;

const sessionFor = (
  context: CliContext,
  { operands, options }: Typed,
  { access, isGlobal = false }: { readonly access: Access; readonly isGlobal?: boolean },
): Session | undefined => {
  const [tenant = ''] = operands;
  if (!isGlobal && !isSlug(tenant)) return undefined;
  return openSessionWith(
    // Nothing may disturb the line that the user types.
    { ...context, stderr: { ...context.stderr, write: () => undefined } },
    { ...options, json: false, quiet: true },
    { access, ...(!isGlobal && { tenant }) },
    { timeoutMs: TIME_LIMIT_MS },
  );
};

const labelsIn = async (
  session: Session,
  path: string,
  start: string,
  { items, view, label, searchQuery }: Named,
): Promise<readonly string[]> => {
  const query = { limit: MAX_ITEMS, ...searchQuery?.(start) };
  const page = session.read(
    z.looseObject({ [items]: z.array(view) }),
    await session.client.request('GET', path, { query }),
  );
  return (page[items] as readonly unknown[]).map(label);
};

const TenantPage = z.object({ tenants: z.array(z.object({ slug: z.string() })) });

/** The slugs of all tenants. */
export const completeTenants =
  (context: CliContext): Complete =>
  async (typed) => {
    const session = sessionFor(context, typed, { access: ADMIN_ONLY, isGlobal: true });
    if (!session) return [];
    const query = { limit: MAX_ITEMS };
    const response = await session.client.request('GET', '/tenants', { query });
    return session.read(TenantPage, response).tenants.map(({ slug }) => slug);
  };

/** The names of a resource's items; `nesting` finds the path of the parent's item. */
export const completeItems =
  (
    context: CliContext,
    resource: Resource<unknown>,
    nesting: (session: Session, operands: readonly string[]) => Promise<string> = () =>
      Promise.resolve(''),
  ): Complete =>
  async (typed) => {
    const { readAccess: access, isGlobal = false } = resource;
    const session = sessionFor(context, typed, { access, isGlobal });
    if (!session) return [];
    const path = `${await nesting(session, typed.operands)}${resource.path}`;
    return labelsIn(session, path, typed.start, resource);
  };
