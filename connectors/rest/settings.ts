import { durationField, secretField, z } from '../../src/plugin/api.js';

const text = z.string().min(1);
/** `data.people`: names, or places in a list, joined by dots. */
const path = z.string().trim().min(1).max(500);
const name = z.string().min(1).max(200);
const values = z.record(name, z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

const auth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({
      type: z.literal('bearer'),
      token: secretField().describe('The token, sent as `Authorization: Bearer`.'),
    }),
    z.strictObject({
      type: z.literal('basic'),
      user: text.describe('The user name.'),
      password: secretField().describe('The password.'),
    }),
    z.strictObject({
      type: z.literal('apiKey'),
      in: z.enum(['header', 'query']).default('header').describe('Where the key is sent.'),
      name: name.describe('Name of the header or parameter, such as X-Api-Key.'),
      key: secretField().describe('The key.'),
      prefix: z.string().default('').describe('What stands before the key, such as "Token ".'),
    }),
    z.strictObject({
      type: z.literal('oauth'),
      tokenUrl: z.url().describe('Where a token is requested (RFC 6749, 4.4).'),
      clientId: text.describe('The client id.'),
      clientSecret: secretField().describe('The client secret.'),
      scope: text.optional().describe('The scopes, separated by spaces.'),
      sendAs: z
        .enum(['basic', 'body'])
        .default('basic')
        .describe('How id and secret are sent: as HTTP Basic, or in the body.'),
      parameters: z
        .record(name, z.string())
        .default({})
        .describe('Further parameters of the request, such as `audience`.'),
    }),
    z.strictObject({
      type: z.literal('jwt'),
      tokenUrl: z.url().describe('Where a token is requested (RFC 7523, 2.1).'),
      privateKey: secretField().describe('The private RSA key, in PEM; it signs with RS256.'),
      keyId: text.optional().describe('The id of the key, `kid` in the header of the JWT.'),
      issuer: text.describe('The claim `iss`: the client or service account.'),
      subject: text.optional().describe('The claim `sub`: the user to act for.'),
      audience: text.optional().describe('The claim `aud`. Default: tokenUrl.'),
      scope: text.optional().describe('The scopes, separated by spaces, as the claim `scope`.'),
    }),
  ])
  .default({ type: 'none' });

const format = z
  .enum(['json', 'ndjson', 'csv', 'xml'])
  .default('json')
  .describe('Format of the responses. XML requires the package @xmldom/xmldom.');

const request = {
  path: text.describe('Path and query below `baseUrl`, such as /employees.'),
  query: values.default({}).describe('Query parameters.'),
};

const paging = z
  .discriminatedUnion('by', [
    z.strictObject({ by: z.literal('none') }),
    z.strictObject({
      by: z.literal('page'),
      parameter: name.default('page').describe('The parameter with the number of the page.'),
      first: z.int().min(0).max(1).default(1).describe('The number of the first page.'),
      pages: path.optional().describe('Path of the number of pages in a response.'),
    }),
    z.strictObject({
      by: z.literal('offset'),
      parameter: name
        .default('offset')
        .describe('The parameter with the number of records to skip.'),
      first: z.int().min(0).max(1).default(0).describe('The offset of the first record.'),
    }),
    z.strictObject({
      by: z.literal('cursor'),
      parameter: name.default('cursor').describe('The parameter with the cursor.'),
      at: path.describe('Path of the next cursor in a response; none on the last page.'),
      inQuery: name
        .optional()
        .describe('The value at `at` is an address, and the cursor is this parameter of it.'),
      more: path
        .optional()
        .describe('Path of true or false: whether there is a next page, if each has a cursor.'),
    }),
    z.strictObject({
      by: z.literal('link'),
      at: path
        .optional()
        .describe('Path of the next address in a response. Absent: the header `Link`, rel="next".'),
    }),
  ])
  .default({ by: 'none' });

/** The settings of the `rest` connector. */
export const RestSettings = z
  .strictObject({
    baseUrl: z.url({ protocol: /^https?$/ }).describe('The address that all paths follow.'),
    auth: auth.describe('How requests are authenticated.'),
    headers: z
      .record(name, z.string())
      .default({})
      .describe('Headers of each request, without secrets.'),
    requestsPerMinute: z
      .int()
      .min(1)
      .max(60_000)
      .default(600)
      .describe('Requests are spread so that there are no more.'),
    timeout: durationField('1s', '1h').prefault('60s').describe('Time limit of a request.'),
    people: z
      .strictObject({
        ...request,
        method: z.enum(['GET', 'POST']).default('GET').describe('POST sends `body`.'),
        body: z.json().optional().describe('The body of a POST, as JSON.'),
        at: path
          .optional()
          .describe('Path of the list in a response. Absent: the response is the list.'),
        id: path.describe('Path of the id in a record: unique, and the same for ever.'),
        total: path
          .optional()
          .describe(
            'Path of the number of all records: another number than was read ends the run.',
          ),
        required: z
          .array(path)
          .max(100)
          .default([])
          .describe(
            'Fields that at least one person of a full read must have: APIs leave out what the ' +
              'credentials may not read.',
          ),
        stream: z
          .boolean()
          .default(false)
          .describe('Read a JSON response as it arrives, whatever its size; without pages.'),
        one: z
          .strictObject({
            ...request,
            path: text.describe('The path for one person, with {id}: /employees/{id}.'),
            at: path.optional().describe('Path of the person in the response. Absent: all of it.'),
          })
          .optional()
          .describe('The request for a single person. Absent: they are looked for in the list.'),
      })
      .describe('The request that lists people.'),
    format,
    csv: z
      .strictObject({
        delimiter: z.string().length(1).default(',').describe('The character between values.'),
      })
      .prefault({})
      .describe('How CSV is read. The first line has the names of the fields.'),
    error: z
      .union([path, z.array(path).min(1).max(10)])
      .optional()
      .describe('Path of the text in the body of an error, or several.'),
    paging: paging.describe('How the next page is requested.'),
    pageSize: z
      .strictObject({
        parameter: name.describe('The parameter with the number of records per page.'),
        value: z.int().min(1).max(10_000).default(100).describe('Its value.'),
      })
      .optional()
      .describe('How many records a page has, if that can be said.'),
    parametersIn: z
      .enum(['query', 'body'])
      .default('query')
      .describe('Where parameters of paging and changes are sent; `body`: of a POST.'),
    detail: z
      .strictObject({
        path: text.describe('The path for one person, with {id}: /employees/{id}.'),
        query: values.default({}).describe('Query parameters.'),
        at: path.optional().describe('Path of the person in the response. Absent: all of it.'),
        as: name
          .optional()
          .describe(
            'The field of the record that gets the details. Absent: they are merged into it.',
          ),
        parallel: z.int().min(1).max(16).default(4).describe('Requests at the same time.'),
        required: z
          .boolean()
          .default(false)
          .describe(
            'Whether a person without details (404, 410) ends the read. Default: they are put aside.',
          ),
      })
      .optional()
      .describe('A further request for each person.'),
    changes: z
      .strictObject({
        parameter: name.describe('The parameter that selects what changed since a time.'),
        format: z
          .enum(['datetime', 'date', 'seconds', 'milliseconds'])
          .default('datetime')
          .describe('Format of the time: ISO 8601, its date, or since 1970.'),
        template: z
          .string()
          .includes('{since}')
          .default('{since}')
          .describe('The value around the time, such as `updated gt "{since}"`.'),
        overlap: durationField('0s', '7d')
          .prefault('5m')
          .describe(
            'How much earlier than the last read: clocks differ, and changes become visible late.',
          ),
      })
      .optional()
      .describe('How changes are read. Absent: each read is a full one.'),
    deleted: z
      .union([
        z.strictObject({
          field: path.describe('Path of the mark in a record.'),
          values: z
            .array(z.union([z.string(), z.number(), z.boolean()]))
            .min(1)
            .default([true])
            .describe('Values that mean "deleted".'),
        }),
        z.strictObject({
          ...request,
          at: path.optional().describe('Path of the list in the response.'),
          id: path.describe('Path of the id in an item of the list; `.` if it is the item.'),
        }),
      ])
      .optional()
      .describe('How deletions are found: a mark in each record, or a list of the deleted ones.'),
  })
  .superRefine((settings, context) => {
    const issue = (path: string[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    const { people, format, paging, parametersIn, detail, deleted } = settings;
    if (people.stream && (format !== 'json' || paging.by !== 'none' || people.total !== undefined))
      issue(['people', 'stream'], 'is for JSON without pages and without `total`');
    if (people.stream && !/^[^.]+$/.test(people.at ?? ''))
      issue(['people', 'at'], 'expected the name of a list in the response, for `stream`');
    if (people.one && !(people.one.path + JSON.stringify(people.one.query)).includes('{id}'))
      issue(['people', 'one', 'path'], 'expected {id} in it');
    if (people.method === 'GET' && people.body !== undefined)
      issue(['people', 'body'], 'a GET has no body; set `method: POST`');
    if (parametersIn === 'body' && people.method === 'GET')
      issue(['parametersIn'], 'a GET has no body; set `people.method: POST`');
    if (people.method === 'POST' && !isRecord(people.body ?? {}))
      issue(['people', 'body'], 'expected an object');
    if (format !== 'json' && format !== 'xml' && people.total !== undefined)
      issue(['people', 'total'], `a ${format} response has only records`);
    if ((format === 'ndjson' || format === 'csv') && people.at !== undefined)
      issue(['people', 'at'], `a ${format} response has only records`);
    if ((format === 'ndjson' || format === 'csv') && 'at' in paging && paging.at !== undefined)
      issue(['paging', 'at'], `a ${format} response has only records`);
    if (detail && !detail.path.includes('{id}')) issue(['detail', 'path'], 'expected {id} in it');
    if (
      deleted &&
      'path' in deleted &&
      (format === 'ndjson' || format === 'csv') &&
      deleted.at !== undefined
    )
      issue(['deleted', 'at'], `a ${format} response has only records`);
  });

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type RestSettings = z.output<typeof RestSettings>;
