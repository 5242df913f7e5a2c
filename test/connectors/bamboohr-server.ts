import { hasBasic, startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** An employee: the fields of the dataset. */
export type Employee = Record<string, string | number | null>;

/**
 * BambooHR as its OpenAPI description says: the dataset by pages, the list of changed employees, the
 * directory. Times are ISO 8601 with seconds.
 */
export const startBambooHr = async (seed: readonly Employee[]) => {
  const employees = new Map(seed.map((employee) => [String(employee['eeid']), employee]));
  const changes = new Map<string, { action: string; lastChanged: string }>();
  const restricted = new Map<string, string[]>();
  const settings = {
    key: 'k'.repeat(40),
    now: '2026-11-22T12:00:00+00:00',
    /** Who is hidden from the API key, though the directory shows them. */
    hidden: new Set<string>(),
    directory: 'shared' as 'shared' | 'off',
    /** Called before each page. */
    beforePage: undefined as ((page: number) => void) | undefined,
    /** Puts the employee into two pages. */
    duplicate: undefined as string | undefined,
  };

  const rows = (): readonly Employee[] => {
    const visible = [...employees.values()].filter(
      (employee) => !settings.hidden.has(String(employee['eeid'])),
    );
    visible.sort((a, b) => Number(a['eeid']) - Number(b['eeid']));
    const twice = visible.find(({ eeid }) => String(eeid) === settings.duplicate);
    return twice ? [...visible, twice] : visible;
  };

  const data = (request: VendorRequest): VendorAnswer => {
    const { fields, orderBy, page, pageSize, filter } = JSON.parse(request.body) as {
      fields: string[];
      orderBy: string;
      page: number;
      pageSize: number;
      filter?: string;
    };
    if (filter !== undefined) return { status: 422, body: { title: 'A snapshot has no filter.' } };
    if (pageSize > 1_000) return { status: 422, body: { title: 'pageSize' } };
    if (!fields.includes(orderBy.split(' ')[0]!)) return { status: 400, body: { code: 'UE-1001' } };
    if (fields.includes('unknownField')) return { status: 400, body: { title: 'fields' } };
    settings.beforePage?.(page);
    const all = rows();
    const shown = all.slice((page - 1) * pageSize, page * pageSize).map((employee) => {
      const withheld = restricted.get(String(employee['eeid'])) ?? [];
      return {
        fields: Object.fromEntries(
          fields.map((field) => [
            field,
            withheld.includes(field) ? null : (employee[field] ?? null),
          ]),
        ),
        ...(withheld.length > 0 && { _restrictedFields: withheld }),
      };
    });
    return {
      body: {
        data: shown,
        // Wrong on purpose: the path is another one.
        links: { next: '/elsewhere?page=1' },
        meta: {
          page,
          pageSize,
          totalPages: Math.ceil(all.length / pageSize),
          totalItems: all.length,
        },
      },
    };
  };

  const changed = (request: VendorRequest): VendorAnswer => {
    const since = request.query.get('since') ?? '';
    if (Number.isNaN(Date.parse(since)) || since.includes(' ')) return { status: 400 };
    const type = request.query.get('type') ?? 'all';
    const found = [...changes].filter(
      ([, { action, lastChanged }]) =>
        Date.parse(lastChanged) >= Date.parse(since) &&
        (type === 'all' || action.toLowerCase() === type),
    );
    return {
      body: {
        latest: settings.now,
        employees:
          found.length === 0
            ? []
            : Object.fromEntries(found.map(([id, change]) => [id, { id, ...change }])),
      },
    };
  };

  const directory = (): VendorAnswer => {
    if (settings.directory === 'off') return { status: 403 };
    const active = [...employees.values()].filter(({ status }) => status === 'Active');
    if (active.length === 0) return { status: 404 };
    return { body: { fields: [], employees: active.map(({ eeid }) => ({ id: eeid })) } };
  };

  const server = await startVendor((request) => {
    if (request.headers.accept !== 'application/json') return { body: '<xml/>' };
    if (!hasBasic(request, settings.key, 'x')) return { status: 401 };
    if (request.path === '/api/v2/datasets/employee/data') return data(request);
    if (request.path === '/api/v1/employees/changed') return changed(request);
    if (request.path === '/api/v1/employees/directory') return directory();
    if (request.path === '/api/v1_2/datasets/employee/fields')
      return { body: { data: [{ name: 'email', label: 'Work Email', type: 'text' }] } };
    return { status: 404 };
  });

  const mark = (id: string, action: string): void =>
    void changes.set(id, { action, lastChanged: settings.now });
  return {
    ...server,
    settings,
    restricted,
    put: (employee: Employee) => {
      const id = String(employee['eeid']);
      const known = employees.get(id);
      employees.set(id, { ...known, ...employee });
      mark(id, known ? 'Updated' : 'Inserted');
    },
    delete: (id: string) => {
      employees.delete(id);
      mark(id, 'Deleted');
    },
    clear: () => employees.clear(),
  };
};
