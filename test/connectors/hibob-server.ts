import { hasBasic, startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A person: fields by their id, and the form in which Bob sends them. */
export interface BobPerson {
  readonly form: string;
  readonly fields: Readonly<Partial<Record<string, string>>>;
  readonly humanReadable?: Readonly<Partial<Record<string, string>>>;
}

/**
 * Bob's people search as its documentation says: one response with everybody, without fields that the
 * service user may not view; addresses with many failed sign-ins are blocked.
 */
export const startHiBob = async (people: readonly BobPerson[]) => {
  const settings = {
    serviceUserId: 'SERVICE-1',
    token: 'bob-token-1',
    /** Fields that are left out silently. */
    hidden: new Set<string>(),
    people,
  };
  let failures = 0;

  const search = (request: VendorRequest): VendorAnswer => {
    const query = JSON.parse(request.body) as { fields: string[]; showInactive: boolean };
    if (query.fields.some((field) => !/^(root|work|internal)\./.test(field)))
      return { status: 400 };
    const isShown = (field: string): boolean =>
      query.fields.includes(field) && !settings.hidden.has(field);
    const employees = settings.people
      .filter(
        ({ fields }) => query.showInactive || fields['internal.lifecycleStatus'] !== 'terminated',
      )
      .map(({ form, fields, humanReadable }) => ({
        ...sent(form, fields, isShown),
        ...(humanReadable && { humanReadable: sent(form, humanReadable, isShown) }),
      }));
    return { body: { employees } };
  };

  const server = await startVendor((request) => {
    if (failures >= 3) return { status: 403, body: 'blocked by the firewall' };
    if (!hasBasic(request, settings.serviceUserId, settings.token)) {
      failures += 1;
      return { status: 401 };
    }
    if (request.method === 'POST' && request.path === '/v1/people/search') return search(request);
    if (request.path === '/v1/company/people/fields')
      return { body: [{ id: 'work.title', name: 'Job title', type: 'list', category: 'Work' }] };
    return { status: 404 };
  });
  return { ...server, settings };
};

/** Fields as Bob sends them: by path with a slash, as values or objects, or nested. */
const sent = (
  form: string,
  fields: BobPerson['fields'],
  isShown: (field: string) => boolean,
): object => {
  const shown = Object.entries(fields).filter(([id]) => isShown(id));
  if (form === 'nested') {
    const person: Record<string, Record<string, unknown>> = {};
    for (const [id, value] of shown) {
      const [category = '', name = ''] = id.split('.');
      (person[category] ??= {})[name] = value;
    }
    const { root, ...categories } = person;
    return { ...root, ...categories };
  }
  return Object.fromEntries(
    shown.map(([id, value]) => [
      `/${id.replaceAll('.', '/')}`,
      form === 'by path' ? value : { value },
    ]),
  );
};
