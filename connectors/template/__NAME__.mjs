/**
 * Reads people from a JSON API, page by page. Replace the requests by those of your source; every
 * function below has one task.
 *
 * @param {import('rollgate/plugin')} api
 */
export default ({ defineConnector, secretField, SourceError, z }) => {
  const settings = z.strictObject({
    url: z.string().min(1).describe('Base URL of the API.'),
    token: secretField().describe('Token for the API.'),
  });

  /** What a record holds. One that does not match is put aside; the others go on. */
  const record = z.object({
    id: z.string().min(1),
    firstName: z.string(),
    lastName: z.string(),
    email: z.string(),
    department: z.string().nullish(),
    startDate: z.string().nullish(),
    endDate: z.string().nullish(),
  });

  const Page = z.object({
    people: z.array(z.looseObject({ id: z.string(), deleted: z.boolean().optional() })),
    /** Where the next page starts; null after the last one. */
    next: z.string().nullable(),
    /** The version of the data: where the next delta starts. */
    version: z.string(),
  });

  /** A response that is not 200, as an error that says what the operator can do. */
  const requireOk = ({ status }) => {
    if (status === 200) return;
    if (status === 401)
      throw new SourceError('auth', 'The API refuses the token. Set "token" to a valid one.');
    if (status === 403)
      throw new SourceError(
        'permission',
        'The token may not read people. Give it that permission.',
      );
    throw new SourceError('network', `The API responded with status ${status}.`);
  };

  /** The body as JSON of this form; another form ends the run, before anybody seems to have left. */
  const parse = (body) => {
    let json;
    try {
      json = JSON.parse(body);
    } catch {
      throw new SourceError('schema', 'The API sent a page that is not JSON or was cut off.');
    }
    const page = Page.safeParse(json);
    if (page.success) return page.data;
    const place = page.error.issues[0]?.path.join('.');
    throw new SourceError('schema', `The API sent a page of another form: see ${place}.`);
  };

  return defineConnector({
    apiVersion: 1,
    name: '__NAME__',
    version: '1.0.0',
    title: '__TITLE__',
    description: 'Reads people from __TITLE__.',
    // `server` once it was run against the real service.
    triedAgainst: 'description',
    settings,
    record,
    // Remove it if the source cannot say what has changed.
    deltas: { reportsDeletions: true },
    mapping: {
      externalId: 'id',
      userName: { path: 'email', transform: ['trim', 'lower'], required: true },
      email: { path: 'email', transform: ['trim', 'lower'] },
      displayName: { template: '{firstName} {lastName}' },
      'name.givenName': 'firstName',
      'name.familyName': 'lastName',
      'enterprise.department': 'department',
    },
    lifecycle: { start: 'startDate', end: 'endDate' },

    start: ({ http, settings: { url, token } }) => {
      // host.http repeats what may succeed later, waits as the source demands, and honours signals.
      const getPage = async (query, signal) => {
        const auth = { bearer: token.reveal() };
        const response = await http.get({ url: `${url}/people`, query, auth, signal });
        requireOk(response);
        return parse(response.body);
      };

      const toMessage = ({ deleted, ...data }) =>
        deleted ? { type: 'tombstone', id: data.id } : { type: 'record', id: data.id, data };

      return {
        check: async (signal) => {
          try {
            await getPage({ limit: 1 }, signal);
            return { ok: true, message: 'The API can be read.' };
          } catch (error) {
            if (!(error instanceof SourceError)) throw error;
            return { ok: false, kind: error.kind, message: error.message };
          }
        },

        async *read({ mode, cursor, isResumed, ids, pageSize, signal }) {
          if (ids) {
            const { people } = await getPage({ id: ids, limit: ids.length }, signal);
            yield* people.map(toMessage);
            yield { type: 'complete', cursor: null };
            return;
          }
          // A checkpoint holds all that continues this read; the cursor of a delta is a version.
          let { since, after, version } = isResumed
            ? cursor
            : { since: mode === 'delta' ? cursor : null, after: null, version: null };
          for (;;) {
            const page = await getPage(
              {
                limit: pageSize,
                ...(after !== null && { after }),
                ...(since !== null && { since }),
              },
              signal,
            );
            yield* page.people.map(toMessage);
            // That of the first page: what changes during the read belongs to the next delta.
            version ??= page.version;
            if (page.next === null) break;
            after = page.next;
            yield { type: 'checkpoint', cursor: { since, after, version } };
          }
          yield { type: 'complete', cursor: version };
        },
      };
    },
  });
};
