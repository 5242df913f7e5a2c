import {
  type ConnectorHost,
  readSourceJson,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import { Row } from './record.js';
import type { BambooSettings } from './settings.js';

const SOURCE = 'BambooHR';

/** A page of the dataset. */
export type Page = z.infer<typeof Page>;

const Page = z.object({
  data: z.array(Row),
  meta: z.object({ totalItems: z.int().min(0) }),
});

const Changes = z.object({
  latest: z.string().nullish(),
  employees: z
    .union([
      z.record(z.string(), z.object({ action: z.string(), lastChanged: z.string() })),
      // PHP writes an empty map as a list.
      z.array(z.never()).transform(() => ({})),
    ])
    .default({}),
});

/** What changed since a moment: the id, the action and when, per employee. */
export interface Changes {
  /** Where the next request starts. */
  readonly latest: string;
  readonly employees: ReadonlyMap<
    string,
    { readonly action: string; readonly lastChanged: string }
  >;
}

export type BambooClient = ReturnType<typeof createClient>;

/** The four requests to BambooHR that the connector uses. */
export const createClient = (
  { http, settings }: ConnectorHost<BambooSettings>,
  fields: readonly string[],
) => {
  const { companyDomain, apiKey, dataset } = settings;
  const base = settings.baseUrl ?? `https://${companyDomain}.bamboohr.com/api`;

  const request = (path: string, signal: AbortSignal): SourceRequest => ({
    url: `${base.replace(/\/$/, '')}${path}`,
    // Any password does.
    auth: { user: apiKey.reveal(), password: 'x' },
    signal,
  });

  return {
    page: async (page: number, pageSize: number, signal: AbortSignal): Promise<Page> => {
      const response = await http.post({
        ...request(`/v2/datasets/${encodeURIComponent(dataset)}/data`, signal),
        // In an order that does not change while the pages are read.
        json: { fields: [...fields], orderBy: 'eeid asc', page, pageSize },
      });
      return readSourceJson(response, Page, contextOf(response, DATASET_HINTS));
    },
    /** `type` limits them to one kind, such as `deleted`. */
    changes: async (since: string, type: string, signal: AbortSignal): Promise<Changes> => {
      const response = await http.get({
        ...request('/v1/employees/changed', signal),
        query: { since, type },
      });
      const { latest, employees } = readSourceJson(response, Changes, contextOf(response));
      return { latest: latest ?? since, employees: new Map(Object.entries(employees)) };
    },
    /** How many people the directory shows; undefined if it is not shared. */
    directorySize: async (signal: AbortSignal): Promise<number | undefined> => {
      const response = await http.get({
        ...request('/v1/employees/directory', signal),
        query: { onlyCurrent: 'true' },
      });
      if (response.status === 403) return undefined;
      // An empty directory.
      if (response.status === 404) return 0;
      return readSourceJson(response, Directory, contextOf(response)).employees.length;
    },
    fields: async (signal: AbortSignal) => {
      const response = await http.get(
        request(`/v1_2/datasets/${encodeURIComponent(dataset)}/fields`, signal),
      );
      return readSourceJson(response, Fields, contextOf(response, DATASET_HINTS));
    },
  };
};

const Directory = z.object({ employees: z.array(z.unknown()) });

const Field = z.object({
  name: z.string(),
  label: z.string().optional(),
  type: z.string().optional(),
});
const Fields = z
  .union([z.array(Field), z.object({ data: z.array(Field) }), z.object({ fields: z.array(Field) })])
  .transform((list) => (Array.isArray(list) ? list : 'data' in list ? list.data : list.fields));

const DATASET_HINTS = {
  400: 'BambooHR does not know one of the settings "fields"; `rollgate connector discover` lists them.',
  404: 'The dataset does not exist, or the API key may not see it.',
};

const contextOf = (response: SourceResponse, hints: Readonly<Record<number, string>> = {}) => {
  const detail = response.headers['x-bamboohr-error-message'];
  return {
    source: SOURCE,
    hints: {
      401: 'Create another API key in BambooHR: your name > API Keys.',
      403: 'The user of the API key may not read employees: raise their access level.',
      ...hints,
    },
    ...(detail !== undefined && { detail }),
  };
};
