import {
  type ConnectorHost,
  type ReadMessage,
  type ReadRequest,
  readSourceJson,
  requireOk,
  SourceError,
  type SourceRequest,
  streamJsonArray,
  z,
} from '../../src/plugin/api.js';
import { hasField, type Person, recordOf, valueOf } from './record.js';
import type { HiBobSettings } from './settings.js';

const CONTEXT = {
  source: 'HiBob',
  hints: {
    400: 'Bob does not know one of the fields; `rollgate connector discover` lists them.',
    401: 'Check serviceUserId and token. Bob blocks addresses after many failed attempts.',
    403: 'Add the service user to a permission group that may view the employees.',
  },
};
/** Everybody comes in one response. */
const TIMEOUT_MS = 5 * 60_000;

const Fields = z.array(
  z.object({ id: z.string(), name: z.string().optional(), type: z.string().optional() }),
);

/** Reads people from Bob, which knows neither pages nor changes. */
export const createReader = ({ http, settings }: ConnectorHost<HiBobSettings>) => {
  const fields = [...new Set(['root.id', ...settings.fields])];

  const request = (path: string, signal: AbortSignal): SourceRequest => ({
    url: `${settings.baseUrl.replace(/\/$/, '')}${path}`,
    auth: { user: settings.serviceUserId, password: settings.token.reveal() },
    headers: { accept: 'application/json' },
    signal,
  });

  /** Everybody the service user may see, in a response that is read as it arrives. */
  async function* people(
    requested: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<Person, void, void> {
    const { showInactive, requiredFields } = settings;
    const response = await http.stream({
      ...request('/people/search', signal),
      json: { fields: [...requested], filters: [], showInactive, humanReadable: 'APPEND' },
      timeoutMs: TIMEOUT_MS,
    });
    try {
      requireOk(response, CONTEXT);
      const missing = new Set(requiredFields);
      let count = 0;
      const { source } = CONTEXT;
      for await (const person of streamJsonArray(response.body, {
        key: 'employees',
        source,
        signal,
      })) {
        count += 1;
        for (const field of missing) if (hasField(person, field)) missing.delete(field);
        yield person;
      }
      if (count > 0 && missing.size > 0) throw hidden([...missing]);
    } finally {
      response.body.destroy();
    }
  }

  async function* read({ ids, signal }: ReadRequest): AsyncGenerator<ReadMessage> {
    // Bob's filters are not described well enough to rely on.
    const wanted = ids && new Set(ids);
    for await (const person of people(fields, signal)) {
      const id = idOf(person);
      if (wanted && !(id !== undefined && wanted.delete(id))) continue;
      yield id === undefined
        ? { type: 'recordError', message: 'Bob sent a person without an id.' }
        : { type: 'record', id, data: { ...recordOf(person, fields), 'root.id': id } };
    }
    const message = 'Bob does not list this person, or the service user may not see them.';
    for (const id of wanted ?? []) yield { type: 'recordError', id, message };
    yield { type: 'complete', cursor: null };
  }

  return {
    read: (request: ReadRequest) => read(request),
    count: async (signal: AbortSignal): Promise<number> => {
      let count = 0;
      for await (const _ of people(['root.id', ...settings.requiredFields], signal)) count += 1;
      return count;
    },
    fields: async (signal: AbortSignal) =>
      readSourceJson(await http.get(request('/company/people/fields', signal)), Fields, CONTEXT),
  };
};

const idOf = (person: Person): string | undefined => {
  const id = valueOf(person, 'root.id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

/** A field that no person has is not shared with the service user. */
const hidden = (fields: readonly string[]): SourceError =>
  new SourceError(
    'permission',
    `Bob sent no person's ${fields.join(', ')}. Let the permission group of the service user view ` +
      'these fields, or change the setting requiredFields.',
  );
