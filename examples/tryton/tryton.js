import { Buffer } from 'node:buffer';

/**
 * @typedef {import('rollgate/plugin').ReadRequest} ReadRequest
 * @typedef {import('rollgate/plugin').ReadMessage} ReadMessage
 * @typedef {import('rollgate/plugin').JsonValue} JsonValue
 * @typedef {Record<string, JsonValue>} Fields
 */

/** Names and e-mail addresses are not in the employee, but in the party and its contacts. */
const FIELDS = [
  'start_date',
  'end_date',
  'supervisor',
  'party',
  'party.name',
  'party.code',
  'party.email',
  'party.phone',
  'party.mobile',
];
/**
 * Where changes leave a trace, by model: a new name moves the change date of the party alone, a new
 * e-mail address that of a contact mechanism. So there is a mark for each.
 */
const MARKED = {
  'company.employee': '',
  'party.party': 'party.',
  'party.contact_mechanism': 'party.contact_mechanisms.',
};

/**
 * Reads employees from Tryton by its JSON-RPC interface.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({
  checkSource,
  defineConnector,
  durationField,
  readSourceJson,
  secretField,
  SourceError,
  z,
}) => {
  const Settings = z.strictObject({
    url: z.url().describe('The address of Tryton, such as https://erp.example.com.'),
    database: z.string().min(1).describe('The name of the database.'),
    user: z.string().min(1).describe('A user who may read employees and parties.'),
    password: secretField().describe('The password of the user.'),
    company: z.int().optional().describe('The id of the company. Absent: all that the user sees.'),
    overlap: durationField('0s', '1d')
      .prefault('5m')
      .describe('How far a delta goes back: a row can be committed later than it is dated.'),
  });
  const Answer = z.object({ result: z.unknown(), error: z.array(z.unknown()).optional() });
  const Rows = z.array(z.looseObject({ id: z.int() }));
  const LoggedIn = z.tuple([z.int(), z.string()]).rest(z.unknown());
  const Moment = z.record(z.string(), z.union([z.string(), z.number()])).nullable();
  const Marks = z.record(z.string(), Moment);
  const Place = z.object({ after: z.int(), since: Marks.nullable(), marks: Marks });

  /** @param {import('rollgate/plugin').ConnectorHost<import('zod').infer<typeof Settings>>} host */
  const start = ({ settings, http, signal }) => {
    const url = `${settings.url.replace(/\/$/, '')}/${encodeURIComponent(settings.database)}/`;
    const context = settings.company === undefined ? {} : { company: settings.company };
    /** @type {string | undefined} */
    let session;

    const post = (
      /** @type {string} */ method,
      /** @type {JsonValue[]} */ params,
      /** @type {AbortSignal} */ signal,
    ) =>
      http.post({
        url,
        json: { id: 1, method, params },
        headers: session === undefined ? {} : { authorization: `Session ${session}` },
        signal,
      });

    const resultOf = (
      /** @type {import('rollgate/plugin').SourceResponse} */ response,
      /** @type {string} */ method,
    ) => {
      const { result, error } = readSourceJson(response, Answer, {
        source: 'Tryton',
        hints: {
          401: 'Check user and password.',
          403: 'The user may not read employees: check their groups.',
          404: 'Check url and database.',
        },
      });
      // Tryton answers 200 with an error.
      if (error) throw new SourceError('schema', `Tryton refused ${method}: ${String(error[0])}`);
      return result;
    };

    const login = async (/** @type {AbortSignal} */ signal) => {
      session = undefined;
      const credentials = [settings.user, { password: settings.password.reveal() }];
      const response = await post('common.db.login', credentials, signal);
      const [id, key] = LoggedIn.parse(resultOf(response, 'common.db.login'));
      session = Buffer.from(`${settings.user}:${id}:${key}`).toString('base64');
    };

    const call = async (
      /** @type {string} */ method,
      /** @type {JsonValue[]} */ params,
      /** @type {AbortSignal} */ signal,
    ) => {
      const hadSession = session !== undefined;
      if (!hadSession) await login(signal);
      let response = await post(method, [...params, context], signal);
      // A session expires: one attempt with another one.
      if (response.status === 401 && hadSession) {
        await login(signal);
        response = await post(method, [...params, context], signal);
      }
      return resultOf(response, method);
    };

    const search = async (
      /** @type {string} */ model,
      /** @type {{ domain: JsonValue, limit: number, order: JsonValue, fields: string[] }} */ query,
      /** @type {AbortSignal} */ signal,
    ) => {
      const { domain, limit, order, fields } = query;
      const params = [domain, 0, limit, order, fields];
      return Rows.parse(await call(`model.${model}.search_read`, params, signal));
    };

    /** The newest change date of each model, by the database's clock. */
    const readMarks = async (/** @type {AbortSignal} */ signal) => {
      /** @type {import('zod').infer<typeof Marks>} */
      const marks = {};
      for (const model of Object.keys(MARKED)) {
        /** @type {import('zod').infer<typeof Moment>} */
        let newest = null;
        for (const field of ['create_date', 'write_date']) {
          const domain = [[field, '!=', null]];
          const query = { domain, limit: 1, order: [[field, 'DESC']], fields: [field] };
          const [row] = await search(model, query, signal);
          const moment = Moment.parse(row?.[field] ?? null);
          if (timeOf(moment) > timeOf(newest)) newest = moment;
        }
        marks[model] = newest;
      }
      return marks;
    };

    async function* read(/** @type {ReadRequest} */ request) {
      const { mode, cursor, isResumed, ids, pageSize, signal } = request;
      const place = isResumed ? Place.parse(cursor) : undefined;
      const delta = mode === 'delta' && !isResumed ? Marks.parse(cursor) : null;
      const since = place ? place.since : delta;
      // Before the first page: what changes later belongs to the next delta.
      const marks = place?.marks ?? (await readMarks(signal));
      const scope = ids
        ? [['id', 'in', ids.map(Number)]]
        : since
          ? [changedSince(since, settings.overlap)]
          : [];
      for (let after = place?.after ?? 0; ;) {
        const domain = [...scope, ['id', '>', after]];
        const query = { domain, limit: pageSize, order: [['id', 'ASC']], fields: FIELDS };
        const rows = await search('company.employee', query, signal);
        for (const row of rows) yield messageOf(/** @type {Fields} */ (row));
        if (rows.length < pageSize) break;
        after = rows.at(-1)?.id ?? after;
        if (!ids) yield checkpoint({ after, since, marks });
      }
      yield complete(ids ? null : marks);
    }

    return {
      check: (/** @type {AbortSignal} */ signal) =>
        checkSource(async () => {
          const count = await call('model.company.employee.search_count', [[]], signal);
          return `Tryton lists ${Number(count)} employees.`;
        }),
      read,
      stop: async () => {
        if (session !== undefined) await post('common.db.logout', [], signal);
      },
    };
  };

  return defineConnector({
    apiVersion: 1,
    name: 'tryton',
    version: '1.0.0',
    title: 'Tryton',
    description: 'Employees of the ERP system Tryton.',
    multiple: true,
    triedAgainst: 'server',
    settings: Settings,
    record: z.looseObject({ id: z.string() }).transform((record) => /** @type {Fields} */ (record)),
    deltas: { reportsDeletions: false },
    mapping: {
      externalId: { path: 'id', required: true },
      userName: { path: 'email', transform: ['trim', 'lower'], required: true },
      displayName: 'name',
      manager: 'supervisor',
    },
    lifecycle: { start: 'start_date', end: 'end_date' },
    start,
  });
};

/** @returns {ReadMessage} */
const checkpoint = (/** @type {JsonValue} */ cursor) => ({ type: 'checkpoint', cursor });

/** @returns {ReadMessage} */
const complete = (/** @type {JsonValue} */ cursor) => ({ type: 'complete', cursor });

/** @returns {ReadMessage} */
const messageOf = (/** @type {Fields} */ row) => {
  const party = /** @type {Fields} */ (row['party.']);
  const data = {
    id: idOf(row['id']) ?? '',
    name: party['name'] ?? null,
    code: party['code'] ?? null,
    email: party['email'] ?? null,
    phone: party['phone'] ?? null,
    mobile: party['mobile'] ?? null,
    start_date: isoDate(row['start_date']),
    end_date: isoDate(row['end_date']),
    supervisor: idOf(row['supervisor']),
  };
  return { type: 'record', id: data.id, data };
};

/** Ids are numbers. */
const idOf = (/** @type {JsonValue | undefined} */ value) =>
  typeof value === 'number' ? String(value) : null;

/** A date of Tryton, `{year, month, day}`, as an ISO date. */
const isoDate = (/** @type {JsonValue | undefined} */ value) => {
  if (value == null) return null;
  const { year, month, day } = /** @type {Record<string, number>} */ (value);
  return new Date(Date.UTC(Number(year), Number(month) - 1, day)).toISOString().slice(0, 10);
};

/** A moment of Tryton in microseconds; without one, the earliest. */
const timeOf = (/** @type {Record<string, string | number> | null} */ moment) => {
  if (!moment) return 0;
  const { year, month, day, hour, minute, second, microsecond } = moment;
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return date * 1_000 + seconds * 1_000_000 + Number(microsecond);
};

const momentOf = (/** @type {number} */ time) => {
  const date = new Date(Math.floor(time / 1_000));
  return {
    __class__: 'datetime',
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    microsecond: time % 1_000_000,
  };
};

/** A condition for employees that have changed since these marks. */
const changedSince = (
  /** @type {Record<string, Record<string, string | number> | null>} */ marks,
  /** @type {number} */ overlapMs,
) => [
  'OR',
  ...Object.entries(MARKED).map(([model, prefix]) => {
    const from = momentOf(Math.max(0, timeOf(marks[model] ?? null) - overlapMs * 1_000));
    // Until its first change, a row has no write_date.
    return [
      'OR',
      [[`${prefix}write_date`, '>', from]],
      [
        [`${prefix}write_date`, '=', null],
        [`${prefix}create_date`, '>', from],
      ],
    ];
  }),
];
