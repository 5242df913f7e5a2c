import {
  declareRefusal,
  declareScope,
  defineCliResource,
  definePlugin,
  durationField,
  nativeRoute,
  operatorRoute,
  raise,
  secretField,
  z,
} from '../../src/plugin/api.js';
import type { ContractOptions } from '../../src/plugin/testing.js';

const READ = declareScope('everything:read');
const WRITE = declareScope('everything:write');
const NOT_FOUND = declareRefusal('EVERYTHING_NOT_FOUND', 'missing', 'No entry has this name.');

const Entry = z.strictObject({ name: z.string(), count: z.int() }).meta({ id: 'EverythingEntry' });
const Note = z.object({ text: z.string() });
const params = z.object({ name: z.string() });

/** A plugin that uses every feature of the contract once. */
export const everything = definePlugin({
  apiVersion: 1,
  name: 'everything',
  version: '1.2.3',
  title: 'Everything',
  description: 'Uses every feature of the contract.',
  multiple: true,
  settings: z.strictObject({
    token: secretField(),
    every: durationField('1s', '1d').prefault('1h').describe('How often it counts.'),
  }),
  scopes: [
    { scope: READ, allows: 'read entries', presets: ['read-only', 'everything'] },
    { scope: WRITE, allows: 'write entries', presets: ['everything'] },
  ],
  changeScope: WRITE,
  refusals: [NOT_FOUND],
  collections: ['entries'],
  tags: { Everything: 'Entries of a test.' },
  doctor: [
    {
      name: 'everything-token',
      run: ({ settings: { token } }) =>
        token.reveal().length > 3
          ? { status: 'OK', message: 'The token is long enough.' }
          : { status: 'WARN', message: 'The token is short.', remedy: 'Use a longer one.' },
    },
  ],
  commands: [
    defineCliResource({
      name: 'entry',
      noun: 'an entry',
      plural: 'entries',
      summary: 'read entries',
      description: 'Entries of a test.',
      path: '/everything',
      perTenant: false,
      items: 'entries',
      view: Entry,
      fields: [
        { label: 'name', text: ({ name }) => name },
        { label: 'count', text: ({ count }) => String(count), align: 'right' },
      ],
      details: ({ count }) => (count === 0 ? [{ text: 'Never counted.\n' }] : []),
      id: ({ name }) => name,
      label: ({ name }) => name,
      item: { name: '<entry>', help: 'its name' },
      readAccess: { admin: true },
      show: { examples: [['rollgate entry show one', 'the entry "one"']] },
      actions: [
        {
          name: 'double',
          access: { admin: true },
          summary: 'print twice the count',
          options: [
            { flags: '--times <number>', field: 'times', help: 'times', type: { min: 1, max: 9 } },
            {
              flags: '--unit <text>',
              field: 'unit',
              help: 'unit',
              parse: (text) => {
                if (text === 'metre') return 'm';
                throw new Error('Use metre.');
              },
            },
          ],
          run: async ({ path, id, fields, request }) => {
            const { count } = Entry.parse(await request('GET', path));
            const twice = String(2 * count * Number(fields['times'] ?? 1));
            return {
              note: 'Doubled.\n',
              sections: [{ columns: [{ title: 'NAME' }, { title: 'TWICE' }], rows: [[id, twice]] }],
              quiet: [twice],
              isFailure: count === 0,
            };
          },
          examples: [['rollgate entry double one', 'twice the count of "one"']],
        },
      ],
    }),
  ],
  start: ({ name, collection, events, records, metrics, log }) => {
    const entries = collection('entries');
    const counted = metrics.counter({ name: 'counted_total', help: 'Runs of the timer.' });
    const find = async (entry: string) => {
      const found = await entries.get(null, entry);
      return found ?? raise(NOT_FOUND, 'No entry has this name.');
    };
    return {
      rules: {
        note: (input, { newRecord }) => {
          const record = newRecord({ ...Note.parse(input), secret: 'sealed' });
          return {
            put: [record],
            result: { id: record.id, secret: 'sealed' },
            unlogged: ['secret'],
          };
        },
      },
      describe: ({ data }) => ({
        kind: 'note',
        name: Note.parse(data).text,
        shown: { text: Note.parse(data).text },
        hidden: {},
      }),
      routes: [
        operatorRoute({
          method: 'GET',
          path: '/everything/{name}',
          operationId: `read${camel(name)}Entry`,
          tag: 'Everything',
          summary: 'Read an entry',
          params,
          responses: { 200: { description: 'The entry.', body: Entry } },
          refusals: [NOT_FOUND],
          handler: async ({ params: { name: entry } }) => {
            const { value } = await find(entry);
            return { status: 200, body: { name: entry, count: Number(value.count) } };
          },
        }),
        nativeRoute({
          method: 'POST',
          path: '/everything-notes',
          scope: WRITE,
          operationId: `create${camel(name)}Note`,
          tag: 'Everything',
          summary: 'Create a note',
          command: 'plugin.change',
          body: z
            .strictObject({ text: z.string() })
            .meta({ id: 'EverythingNote', examples: [{ text: 'hello' }] }),
          responses: {
            201: { description: 'The note.', body: z.strictObject({ id: z.string() }) },
          },
          handler: async ({ caller, body, source, requestId, submit }) => {
            const result = await records.change(
              { tenantId: caller.tenant.id, actor: caller.actor, source, requestId, submit },
              'note',
              body,
            );
            const { id } = z.object({ id: z.string() }).parse(result);
            return { status: 201, body: { id } };
          },
        }),
        nativeRoute({
          method: 'GET',
          path: '/everything-live',
          scope: READ,
          operationId: `stream${camel(name)}`,
          tag: 'Everything',
          summary: 'Stream events',
          responses: {
            200: {
              description: 'Names of events as they happen.',
              isStream: true,
              body: z.strictObject({ name: z.string() }),
            },
          },
          handler: ({ caller, signal, lastEventId }) =>
            Promise.resolve({
              status: 200,
              stream: (async function* () {
                if (lastEventId !== undefined)
                  yield { event: 'resumed', data: { name: lastEventId } };
                for await (const event of events.live(signal))
                  if (event.tenantId === caller.tenant.id)
                    yield { id: String(event.seq), data: { name: event.name } };
              })(),
            }),
        }),
      ],
      sites: [
        {
          at: `/${name}`,
          folder: new URL('./everything-site/', import.meta.url),
          fallback: 'index.html',
          pages: {
            '/hello': ({ query }) => ({ body: `<p>Hello ${query.who ?? 'world'}</p>` }),
          },
        },
      ],
      timers: [
        {
          name: 'count',
          every: '1h',
          run: async ({ fence }) => {
            const before = await entries.get(null, 'runs');
            counted();
            const count = Number(before?.value.count ?? 0) + 1;
            // The suite calls timers without a lease.
            const options = fence.lease === 'test' ? {} : { fence };
            await entries.put(null, [{ key: 'runs', value: { count } }], options);
          },
        },
      ],
      health: () => ({ ok: true, message: 'It runs.' }),
      stop: () => log.debug({}, 'Stopped.'),
    };
  },
});

const camel = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** What the contract suite has to know of it. */
export const TRY_EVERYTHING: ContractOptions = {
  settings: { token: 'hunter2' },
  streams: { streamEverything: {} },
  items: { entry: { name: 'one', count: 0 } },
  actions: { 'entry double': { respond: () => ({ name: 'one', count: 1 }) } },
};
