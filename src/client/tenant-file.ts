import type { RollgateClient } from './client.js';
import { nameKey } from './name-key.js';
import type { DryRun } from './operation.js';
import { parseJson, RollgateError } from './rollgate-error.js';
import type { Method } from './transport.js';
import type { components } from './generated/openapi.js';

/**
 * A tenant as one document, for version control: settings, attributes of its own, role mappings, rooms
 * and webhooks, without keys and secrets. Fields have the names and values of the API. A section that is
 * absent is not changed, and neither is a field that an item leaves out.
 */
export interface TenantFile extends Partial<
  Omit<components['schemas']['TenantInput'], 'slug' | 'scim'>
> {
  readonly slug: string;
  readonly scim?: Partial<components['schemas']['Tenant']['scim']>;
  readonly schema_extension?: readonly components['schemas']['CustomAttributeInput'][];
  /** Known by their group, ignoring case. */
  readonly role_mappings?: readonly components['schemas']['RoleMappingInput'][];
  /** Known by their name, ignoring case: another name is another room. */
  readonly rooms?: readonly RoomInFile[];
  /** Known by their address without its query, which the gateway does not show. */
  readonly webhooks?: readonly WebhookInFile[];
}

interface RoomInFile {
  readonly name: string;
  /** The SCIM group of the room; null: none. */
  readonly mapping?: { readonly display_name: string; readonly external_id?: string | null } | null;
}

type WebhookInFile = Pick<
  components['schemas']['Webhook'],
  'url' | 'events' | 'description' | 'status' | 'include'
>;

/** A change that makes the tenant what the file says. */
export interface TenantStep {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: 'tenant' | 'attributes' | 'role mapping' | 'room' | 'webhook';
  readonly name: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
  /** What it would do; absent: that depends on an earlier step. */
  readonly preview?: DryRun;
  /** Why the gateway would refuse it. */
  readonly refusal?: string;
}

export interface TenantPlan {
  readonly slug: string;
  /** Of the tenant that it was made for: a tenant that has changed since refuses the plan. */
  readonly etag?: string | undefined;
  readonly steps: readonly TenantStep[];
  /** What the file does not have, and stays unless the plan prunes. */
  readonly kept: readonly Pick<TenantStep, 'kind' | 'name'>[];
}

/** What applying a plan has created that is shown only once. */
export interface CreatedSecret {
  readonly url: string;
  readonly secret: string;
}

/** A file that does not describe a tenant: `path` is in it. */
export class TenantFileError extends Error {
  override readonly name = 'TenantFileError';
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
  ) {
    super(message);
  }
}

interface Request {
  readonly method: Exclude<Method, 'GET'>;
  /** Below the tenant; `{id}` is the item that an earlier request of the step has created. */
  readonly to: string;
  readonly body?: unknown;
}

interface PlannedStep extends TenantStep {
  readonly requests: readonly Request[];
}

type Item = Readonly<Record<string, unknown>>;

/** A list of a tenant, and how its items are found again. */
interface Section {
  readonly kind: 'role mapping' | 'room' | 'webhook';
  readonly path: '/role-mappings' | '/rooms' | '/webhooks';
  /** The field by which people know an item. */
  readonly label: string;
  readonly keyOf: (label: string) => string;
  /** An item of the API as the file has it. */
  readonly toFile: (item: Item) => Item;
  readonly create: (wanted: Item) => readonly Request[];
  /** `to` is the item. */
  readonly update: (changed: Item, to: string) => readonly Request[];
}

const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(
    names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  );

const without = (item: Item, ...names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

const mapRoom = (mapping: unknown, to: string): readonly Request[] => {
  if (mapping === undefined) return [];
  return mapping === null
    ? [{ method: 'DELETE', to: `${to}/mapping` }]
    : [{ method: 'PATCH', to: `${to}/mapping`, body: mapping }];
};

const onePatch: Section['update'] = (body, to) => [{ method: 'PATCH', to, body }];

/** Where the query of an address was (docs/webhooks.md). */
const HIDDEN_QUERY = '?***';

const SECTIONS = {
  role_mappings: {
    kind: 'role mapping',
    path: '/role-mappings',
    label: 'group_display_name',
    keyOf: nameKey,
    toFile: (item) =>
      pick(item, ['group_display_name', 'role', 'apply_on_scim_provisioning', 'priority']),
    create: (body) => [{ method: 'POST', to: '/role-mappings', body }],
    update: onePatch,
  },
  rooms: {
    kind: 'room',
    path: '/rooms',
    label: 'name',
    keyOf: nameKey,
    toFile: ({ name, display_name, external_id }) => ({
      name,
      mapping: display_name === null ? null : { display_name, external_id },
    }),
    create: ({ mapping, ...body }) => [
      { method: 'POST', to: '/rooms', body },
      ...(mapping === null ? [] : mapRoom(mapping, '/rooms/{id}')),
    ],
    update: ({ mapping, ...changed }, to) => [
      ...(Object.keys(changed).length > 0 ? [{ method: 'PATCH', to, body: changed } as const] : []),
      ...mapRoom(mapping, to),
    ],
  },
  webhooks: {
    kind: 'webhook',
    path: '/webhooks',
    label: 'url',
    keyOf: (url) => url.replace(/\?.*$/s, '?'),
    toFile: (item) => pick(item, ['url', 'events', 'description', 'status', 'include']),
    create: ({ status, ...body }) => [
      { method: 'POST', to: '/webhooks', body },
      ...(status === 'disabled'
        ? [{ method: 'PATCH', to: '/webhooks/{id}', body: { status } } as const]
        : []),
    ],
    update: onePatch,
  },
} as const satisfies Readonly<Record<string, Section>>;

type SectionName = keyof typeof SECTIONS;

const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[];

const isNotFound = (error: unknown): boolean =>
  error instanceof RollgateError && error.status === 404;

/** Undefined if there is none. */
const orUndefined = async <Value>(found: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** All of a list; undefined if the gateway has no such list, because the plugin is not enabled. */
const readSection = (
  api: RollgateClient,
  slug: string,
  name: SectionName,
): Promise<readonly Item[] | undefined> => {
  const read = async (): Promise<readonly Item[]> => {
    const items: Item[] = [];
    const path = `/admin/v1/tenants/{slug}${SECTIONS[name].path}` as const;
    for await (const item of api.list(path, { path: { slug } })) items.push(item as Item);
    return items;
  };
  return orUndefined(read());
};

const readTenant = (api: RollgateClient, slug: string) =>
  orUndefined(api.request('get', '/admin/v1/tenants/{slug}', { path: { slug } }));

const readAttributes = async (api: RollgateClient, slug: string) =>
  (await api.get('/admin/v1/tenants/{slug}/schema-extension', { path: { slug } })).attributes;

/** The tenant as a document. */
export const exportTenant = async (api: RollgateClient, slug: string): Promise<TenantFile> => {
  const tenant = await api.get('/admin/v1/tenants/{slug}', { path: { slug } });
  const sections: Record<string, readonly Item[]> = {};
  for (const name of SECTION_NAMES) {
    const items = await readSection(api, slug, name);
    const { toFile }: Section = SECTIONS[name];
    if (items) sections[name] = items.map(toFile);
  }
  return {
    ...without(tenant, 'id', 'created_at'),
    slug,
    schema_extension: await readAttributes(api, slug),
    ...sections,
  };
};

/** Texts of a list that has no order: `events`. */
const inOrder = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? [...value].sort()
    : value;

const isObject = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `current` has every value of `wanted`; what `wanted` leaves out may be anything. */
const has = (current: unknown, wanted: unknown): boolean => {
  if (isObject(wanted) && isObject(current))
    return Object.entries(wanted).every(([name, value]) => has(current[name], value));
  return JSON.stringify(inOrder(current)) === JSON.stringify(inOrder(wanted));
};

const changesBetween = (current: Item, wanted: Item): TenantStep['changes'] =>
  Object.entries(wanted)
    .filter(([field, after]) => !has(current[field], after))
    .map(([field, after]) => ({ field, before: current[field], after }));

const created = (wanted: Item, ...names: readonly string[]): TenantStep['changes'] =>
  Object.entries(without(wanted, ...names)).map(([field, after]) => ({ field, after }));

const readItems = (file: Item, name: SectionName): readonly Item[] | undefined => {
  const given = file[name];
  if (given === undefined) return undefined;
  const { label, keyOf, kind } = SECTIONS[name];
  if (!Array.isArray(given)) throw new TenantFileError([name], `${name} must be a list.`);
  const seen = new Set<string>();
  return given.map((item: unknown, at): Item => {
    const path = [name, at];
    const text = isObject(item) ? item[label] : undefined;
    if (!isObject(item) || typeof text !== 'string')
      throw new TenantFileError(path, `Each ${kind} needs a "${label}".`);
    const key = keyOf(text);
    if (seen.has(key) && kind !== 'webhook')
      throw new TenantFileError([...path, label], `The ${kind} "${text}" is there twice.`);
    seen.add(key);
    return item;
  });
};

interface SectionPlan {
  /** Created and updated. */
  readonly changed: readonly PlannedStep[];
  readonly surplus: readonly PlannedStep[];
}

const planSection = (
  name: SectionName,
  wanted: readonly Item[],
  existing: readonly Item[],
): SectionPlan => {
  const section: Section = SECTIONS[name];
  const { kind, path, label, keyOf, toFile } = section;
  const left = [...existing];
  const changed: PlannedStep[] = [];
  for (const [at, item] of wanted.entries()) {
    const text = String(item[label]);
    const found = left.findIndex((each) => keyOf(String(each[label])) === keyOf(text));
    if (found < 0) {
      if (kind === 'webhook' && text.endsWith(HIDDEN_QUERY))
        throw new TenantFileError(
          [name, at, label],
          'The query of this address is hidden. Replace *** by the query to create the webhook.',
        );
      const requests = section.create(item);
      changed.push({ action: 'create', kind, name: text, changes: created(item, label), requests });
      continue;
    }
    const [current = {}] = left.splice(found, 1);
    // The query of an address is not comparable.
    const compared = kind === 'webhook' ? without(item, label) : item;
    const changes = changesBetween(toFile(current), compared);
    if (changes.length === 0) continue;
    const body = Object.fromEntries(changes.map(({ field, after }) => [field, after]));
    const requests = section.update(body, `${path}/${String(current.id)}`);
    changed.push({ action: 'update', kind, name: text, changes, requests });
  }
  const surplus = left.map((item): PlannedStep => {
    const requests: readonly Request[] = [{ method: 'DELETE', to: `${path}/${String(item.id)}` }];
    return { action: 'delete', kind, name: String(item[label]), changes: [], requests };
  });
  return { changed, surplus };
};

interface Attributes {
  readonly steps: readonly PlannedStep[];
  readonly kept: readonly string[];
}

/** The gateway takes all attributes at once. */
const planAttributes = (wanted: unknown, existing: readonly Item[], prune: boolean): Attributes => {
  if (!Array.isArray(wanted) || !wanted.every(isObject))
    throw new TenantFileError(
      ['schema_extension'],
      'schema_extension must be a list of attributes.',
    );
  const keyOf = ({ name }: Item): string => String(name).toLowerCase();
  const byName = new Map(existing.map((attribute) => [keyOf(attribute), attribute]));
  const named = new Set(wanted.map(keyOf));
  const surplus = existing.filter((attribute) => !named.has(keyOf(attribute)));
  const changes = [
    ...wanted
      .filter((attribute) => !has(byName.get(keyOf(attribute)), attribute))
      .map((after) => ({ field: String(after.name), before: byName.get(keyOf(after)), after })),
    ...(prune ? surplus.map((before) => ({ field: String(before.name), before })) : []),
  ];
  const kept = prune ? [] : surplus;
  const attributes = [
    ...wanted.map((attribute) => ({ ...byName.get(keyOf(attribute)), ...attribute })),
    ...kept,
  ];
  const requests: readonly Request[] = [
    { method: 'PUT', to: '/schema-extension', body: { attributes } },
  ];
  const step = { action: 'update', kind: 'attributes', name: 'users', changes, requests } as const;
  return {
    steps: changes.length === 0 ? [] : [step],
    kept: kept.map(({ name }) => String(name)),
  };
};

const NO_SETTINGS = ['slug', 'schema_extension', ...SECTION_NAMES];

const planSettings = (slug: string, file: Item, current: Item | undefined): PlannedStep[] => {
  const settings = without(file, ...NO_SETTINGS);
  if (current === undefined) {
    const body = { name: slug, ...settings, slug };
    const requests: readonly Request[] = [{ method: 'POST', to: '', body }];
    const changes = created(body, 'slug');
    return [{ action: 'create', kind: 'tenant', name: slug, changes, requests }];
  }
  const changes = changesBetween(current, settings);
  if (changes.length === 0) return [];
  const body = Object.fromEntries(changes.map(({ field, after }) => [field, after]));
  const requests: readonly Request[] = [{ method: 'PATCH', to: '', body }];
  return [{ action: 'update', kind: 'tenant', name: slug, changes, requests }];
};

const slugIn = (file: unknown): string => {
  if (!isObject(file)) throw new TenantFileError([], 'The file must describe one tenant.');
  if (typeof file.slug !== 'string')
    throw new TenantFileError(['slug'], 'The file needs the "slug" of the tenant.');
  return file.slug;
};

const send = async (api: RollgateClient, slug: string, request: Request, headers = {}) => {
  const { method, to, body } = request;
  const path =
    method === 'POST' && to === '' ? '/admin/v1/tenants' : `/admin/v1/tenants/${slug}${to}`;
  const response = await api.transport.send(method, path, { body, headers });
  const { text } = response;
  return {
    result: text === '' ? {} : (parseJson(text) as Item),
    etag: response.headers.get('etag') ?? undefined,
  };
};

const refusalOf = ({ code, message, details }: RollgateError): string =>
  [
    `${code}: ${message}`,
    ...details.map(({ path, message: what }) => (path === '' ? what : `${path}: ${what}`)),
  ].join('\n');

/** In place of the id that an earlier request will return. */
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** What the gateway says of a request, unless that depends on an earlier one, which was not made. */
const previewRequest = async (
  api: RollgateClient,
  slug: string,
  request: Request,
): Promise<Pick<TenantStep, 'preview' | 'refusal'>> => {
  const to = request.to.replace('{id}', UNKNOWN_ID);
  try {
    const { result } = await send(api, slug, { ...request, to }, { prefer: 'dry-run' });
    const preview = result as unknown as DryRun;
    const { error, message } = (preview.body ?? {}) as { error?: string; message?: string };
    if (error === 'TENANT_NOT_FOUND' || (to !== request.to && preview.status !== 400)) return {};
    return preview.status < 400 ? { preview } : { preview, refusal: `${error}: ${message}` };
  } catch (error) {
    if (error instanceof RollgateError && error.status === 400)
      return { refusal: refusalOf(error) };
    throw error;
  }
};

const previewSteps = async (
  api: RollgateClient,
  slug: string,
  steps: readonly PlannedStep[],
): Promise<readonly PlannedStep[]> => {
  const previewed: PlannedStep[] = [];
  for (const step of steps) {
    let found = step;
    for (const request of step.requests)
      if (found.refusal === undefined)
        found = { ...(await previewRequest(api, slug, request)), ...found };
    previewed.push(found);
  }
  return previewed;
};

export interface PlanOptions {
  /** Deletes role mappings, rooms, webhooks and attributes that a section of the file does not have. */
  readonly prune?: boolean;
}

/**
 * What would make the tenant what the file says, in the order in which it is applied, each step tried as
 * a dry run. Rejects with a `TenantFileError` for a file that is no such document.
 */
export const planTenant = async (
  api: RollgateClient,
  file: unknown,
  { prune = false }: PlanOptions = {},
): Promise<TenantPlan> => {
  const slug = slugIn(file);
  const given = file as Item;
  const wanted = SECTION_NAMES.map((name) => [name, readItems(given, name)] as const);
  const read = await readTenant(api, slug);
  const current = read?.data;
  const steps = planSettings(slug, given, current);
  const kept: Pick<TenantStep, 'kind' | 'name'>[] = [];
  if (given.schema_extension !== undefined) {
    const existing = current ? await readAttributes(api, slug) : [];
    const attributes = planAttributes(given.schema_extension, existing, prune);
    steps.push(...attributes.steps);
    kept.push(...attributes.kept.map((name) => ({ kind: 'attributes', name }) as const));
  }
  const deletions: PlannedStep[] = [];
  for (const [name, items] of wanted) {
    if (!items) continue;
    const existing = current ? await readSection(api, slug, name) : [];
    if (!existing)
      throw new TenantFileError([name], `The gateway has no ${name}: enable the plugin.`);
    const { changed, surplus } = planSection(name, items, existing);
    steps.push(...changed);
    if (prune) deletions.unshift(...surplus);
    else kept.push(...surplus.map(({ kind, name: label }) => ({ kind, name: label })));
  }
  steps.push(...deletions);
  return { slug, etag: read?.etag, steps: await previewSteps(api, slug, steps), kept };
};

/** Writes that change the version of the tenant. */
const isOfTenant = ({ to }: Request): boolean => to === '' || to === '/schema-extension';

/**
 * Makes the changes of a plan, one after the other; what it creates that is shown only once is
 * added to `secrets` at once. Rejects with the `RollgateError` of the first that is refused; those
 * before it stay, and a new plan has the rest. After a new tenant is created, the other changes are
 * checked before the first of them is made.
 */
export const applyTenantPlan = async (
  api: RollgateClient,
  plan: TenantPlan,
  onStep: (step: TenantStep) => void = () => undefined,
  secrets: CreatedSecret[] = [],
): Promise<void> => {
  const { slug } = plan;
  const steps = plan.steps as readonly PlannedStep[];
  let { etag } = plan;
  for (const [at, step] of steps.entries()) {
    let id = '';
    for (const request of step.requests) {
      const headers = isOfTenant(request) && etag !== undefined ? { 'if-match': etag } : {};
      const sent = { ...request, to: request.to.replace('{id}', id) };
      const { result, etag: next } = await send(api, slug, sent, headers);
      if (isOfTenant(request)) etag = next;
      id = id === '' ? String(result.id) : id;
      if (typeof result.secret === 'string')
        secrets.push({ url: step.name, secret: result.secret });
    }
    onStep(step);
    if (step.kind !== 'tenant' || step.action !== 'create') continue;
    const rest = await previewSteps(api, slug, steps.slice(at + 1));
    const refused = rest.find(({ refusal }) => refusal !== undefined);
    if (refused)
      throw new RollgateError({
        code: 'PLAN_REFUSED',
        message: `${refused.kind} ${refused.name}: ${refused.refusal}`,
      });
  }
};
