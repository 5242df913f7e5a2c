import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { startVendor, type VendorRequest, type VendorServer } from './vendor-server.js';

/** The credentials that the servers accept. */
export const KEY = 'key-of-the-vendor-1234';

interface Section {
  readonly settings: Readonly<Record<string, unknown>> & { readonly baseUrl: string };
  readonly tenant: string;
  readonly use: string;
}

/** The sections of docs/rest-recipes.md, by name. */
export const RECIPES = Object.assign(
  {},
  ...[
    ...readFileSync(new URL('../../docs/rest-recipes.md', import.meta.url), 'utf8').matchAll(
      /```yaml\n(.*?)```/gs,
    ),
  ].map(([, yaml = '']) => (parse(yaml) as { connectors: Record<string, Section> }).connectors),
) as Readonly<Record<string, Section>>;

type Person = Readonly<Record<string, unknown>>;

/** A vendor as its description says. */
interface Vendor {
  /** Path of the list. */
  readonly path: string;
  readonly people: (names: readonly string[]) => readonly Person[];
  readonly answer: (request: VendorRequest, people: readonly Person[]) => object;
  /** The address of the first person as a user. */
  readonly userName: string;
  readonly header?: string;
}

const PAGE = 2;
const numberIn = ({ query }: VendorRequest, name: string): number => Number(query.get(name) ?? 0);
const cursorOf = (at: number): string => Buffer.from(`id ${at}`).toString('base64');
const addressOf = ({ headers }: VendorRequest): string => `http://${headers.host ?? ''}`;

export const RECIPE_VENDORS: Readonly<Record<string, Vendor>> = {
  rippling: {
    path: '/workers/',
    people: (names) =>
      names.map((given, at) => ({
        id: `w${at + 1}`,
        work_email: `${given}@acme.example`,
        personal_email: null,
        start_date: '2024-02-01',
        end_date: null,
        title: 'Driver',
        manager_id: at === 0 ? null : 'w1',
        user: { name: { formatted: `${given} Lee`, given_name: given, family_name: 'Lee' } },
      })),
    answer: (request, people) => {
      const at = numberIn(request, 'cursor');
      const isExpanded = request.query.get('expand') === 'user';
      return {
        body: {
          results: people
            .slice(at, at + PAGE)
            .map((one) => (isExpanded ? one : { ...one, user: undefined })),
          next_link:
            at + PAGE < people.length
              ? `${addressOf(request)}/workers/?expand=user&cursor=${at + PAGE}`
              : null,
        },
      };
    },
    userName: 'ann@acme.example',
  },
  deel: {
    path: '/people',
    people: (names) =>
      names.map((given, at) => ({
        id: `dfd65727-000${at}`,
        first_name: given,
        last_name: 'Lee',
        full_name: `${given} Lee`,
        emails: [
          { type: 'primary', value: `${given}@home.example` },
          { type: 'work', value: at === 0 ? 'ann@acme.example' : null },
          { type: 'personal', value: `${given}@home.example` },
        ],
        start_date: '2023-07-25',
        hiring_status: at === 2 ? 'inactive' : 'active',
        job_title: 'Analyst',
      })),
    answer: (request, people) => {
      const at = numberIn(request, 'offset');
      return { body: { data: people.slice(at, at + PAGE) } };
    },
    userName: 'ann@acme.example',
  },
  factorial: {
    path: '/employees/employees',
    people: (names) =>
      names.map((given, at) => ({
        id: `1844674407370955${at}`,
        first_name: given,
        last_name: 'Lee',
        full_name: `${given} Lee`,
        preferred_name: null,
        email: `${given}@home.example`,
        login_email: `${given}@acme.example`,
        manager_id: null,
        active: true,
        terminated_on: null,
      })),
    answer: (request, people) => {
      const after = request.query.get('after_id');
      const at = people.findIndex((_, index) => cursorOf(index) === after) + 1;
      const page = people.slice(at, at + PAGE);
      return {
        body: {
          // The last page has an end, too.
          meta: {
            has_next_page: at + PAGE < people.length,
            has_previous_page: at > 0,
            start_cursor: cursorOf(at),
            end_cursor: cursorOf(at + page.length - 1),
            total: people.length,
            limit: PAGE,
          },
          data: page,
        },
      };
    },
    userName: 'ann@acme.example',
    header: 'x-api-key',
  },
  breathe: {
    path: '/employees',
    people: (names) =>
      names.map((given, at) => ({
        id: at + 5,
        first_name: given,
        last_name: 'Lee',
        email: `${given}@acme.example`,
        status: at === 2 ? 'Ex-employee' : 'Current employee',
        company_join_date: '2014-10-01',
        job_title: 'Director',
      })),
    answer: (request, people) => {
      const page = Number(request.query.get('page') ?? 1);
      const last = Math.ceil(people.length / PAGE);
      const linkTo = (number: number, rel: string): string =>
        `<${addressOf(request)}/employees?page=${number}>; rel="${rel}"`;
      const links = [
        linkTo(1, 'first'),
        linkTo(last, 'last'),
        ...(page < last ? [linkTo(page + 1, 'next')] : []),
      ];
      return {
        headers: { link: links.join(',\n  ').replaceAll('\n', ''), total: String(people.length) },
        body: { employees: people.slice((page - 1) * PAGE, page * PAGE) },
      };
    },
    userName: 'ann@acme.example',
    header: 'x-api-key',
  },
  humaans: {
    path: '/people',
    people: (names) =>
      names.map((given, at) => ({
        id: `hum-${at}`,
        firstName: given,
        lastName: 'Lee',
        preferredName: null,
        email: `${given}@acme.example`,
        employmentStartDate: '2024-02-01',
        employmentEndDate: null,
        status: at === 2 ? 'offboarded' : 'active',
      })),
    answer: (request, people) => {
      const skip = numberIn(request, '$skip');
      return {
        body: { total: people.length, limit: PAGE, skip, data: people.slice(skip, skip + PAGE) },
      };
    },
    userName: 'ann@acme.example',
  },
};

/** Starts the server of a recipe, with people of these names. */
export const startRecipe = async (
  name: string,
  names: readonly string[] = ['Ann', 'Bob', 'Cleo'],
): Promise<
  VendorServer & {
    readonly people: readonly Person[];
    /** The recipe with the address of the server, and credentials. */
    readonly settingsWith: (key: string) => Record<string, unknown>;
  }
> => {
  const { path, people: peopleOf, answer, header } = RECIPE_VENDORS[name]!;
  const people = peopleOf(names);
  const accepts = ({ headers }: VendorRequest): boolean =>
    header === undefined ? headers.authorization === `Bearer ${KEY}` : headers[header] === KEY;
  const server = await startVendor((request) => {
    if (!accepts(request)) return { status: 401, body: { error: 'unauthorized' } };
    return request.path === path ? answer(request, people) : { status: 404, body: {} };
  });
  const settings = { ...RECIPES[name]!.settings, baseUrl: server.url, requestsPerMinute: 60_000 };
  return {
    ...server,
    people,
    settingsWith: (key) =>
      JSON.parse(
        JSON.stringify(settings).replace(/\{"env":"\w+"\}/, JSON.stringify(key)),
      ) as Record<string, unknown>,
  };
};
