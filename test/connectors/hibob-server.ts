import { hasBasic, startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

export type BobPerson = Readonly<Record<string, unknown>>;

/**
 * Bob's people search as its documentation says: one response with everybody, without fields that the
 * service user may not view; addresses with many failed sign-ins are blocked.
 */
export const startHiBob = async (people: readonly BobPerson[]) => {
  const settings = {
    serviceUserId: 'SERVICE-1',
    token: 'bob-token-1',
    /** Fields that are left out silently, with a slash: `/root/email`. */
    hidden: new Set<string>(),
    people,
  };
  let failures = 0;

  const search = (request: VendorRequest): VendorAnswer => {
    const query = JSON.parse(request.body) as { fields: string[]; showInactive: boolean };
    if (query.fields.some((field) => !/^(root|work|internal)\./.test(field)))
      return { status: 400 };
    const shown = settings.people
      .filter((person) => query.showInactive || !JSON.stringify(person).includes('terminated'))
      .map((person) =>
        Object.fromEntries(Object.entries(person).filter(([key]) => !settings.hidden.has(key))),
      );
    return { body: { employees: shown } };
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
