import { z } from 'zod';
import { formatTime } from '../format-time.js';
import { type Action, defineResource } from '../resource.js';
import type { Session } from '../session.js';
import { type Column, renderTable } from '../table.js';
import { printable } from '../terminal-text.js';
import { type Schemas, viewOf } from '../view-of.js';

type Cycle = Schemas['ConnectionCycle'];
type ConnectionView = Schemas['Connection'];

const CyclePage = z.object({ cycles: z.array(viewOf<Cycle>('from')) });

/** Cycles that `show` prints. */
const SHOWN_CYCLES = 20;

const cycleColumns = (now: Date): readonly Column<Cycle>[] => [
  { title: 'CYCLE', cell: ({ from }) => formatTime(from, now) },
  { title: 'REQUESTS', cell: ({ requests }) => String(requests), align: 'right' },
  { title: 'USERS CHANGED', cell: ({ users_changed: users }) => String(users), align: 'right' },
  { title: 'REFUSED', cell: ({ refused }) => String(refused), align: 'right' },
];

const cyclesOf = async ({ key_id }: ConnectionView, session: Session) => {
  const path = `/connections/${key_id}/cycles`;
  const response = await session.client.request('GET', path, { query: { limit: SHOWN_CYCLES } });
  const { cycles } = session.read(CyclePage, response);
  if (cycles.length === 0) return { text: '', json: { cycles } };
  const columns = cycleColumns(session.context.now());
  return { text: `\n${renderTable(columns, cycles, session.paint)}`, json: { cycles } };
};

type Failure = Schemas['FailedAuthentication'];
const FailurePage = z.object({ failed_authentications: z.array(viewOf<Failure>('last_at')) });

const failureColumns = (now: Date): readonly Column<Failure>[] => [
  { title: 'LAST', cell: ({ last_at: at }) => formatTime(at, now) },
  { title: 'REQUESTS', cell: ({ count }) => String(count), align: 'right' },
  { title: 'ADDRESS', cell: ({ address }) => printable(address) },
  { title: 'KEY', cell: ({ key_prefix: prefix }) => printable(prefix ?? '-') },
  { title: 'REASON', cell: ({ message }) => printable(message) },
];

const failures: Action<ConnectionView> = {
  name: 'failures',
  isOnCollection: true,
  summary: 'list failed authentications',
  description:
    "List the requests to the tenant's URLs with a wrong key, without one, or without the scope they " +
    'need, newest first. Equal ones within an hour are counted in one line.',
  run: async ({ session }) => {
    const response = await session.client.request('GET', '/failed-authentications');
    const { failed_authentications: found } = session.read(FailurePage, response);
    session.print({
      people: () =>
        found.length === 0
          ? ''
          : renderTable(failureColumns(session.context.now()), found, session.paint),
      json: response.text,
      quiet: () => found.map(({ address }) => address).join('\n'),
    });
    if (found.length === 0) session.note(`No failed authentications in ${session.tenant}.\n`);
    return 'printed';
  },
  examples: [['rollgate connection failures acme', 'with address, key prefix and reason']],
};

export const CONNECTIONS = defineResource<ConnectionView>({
  name: 'connection',
  noun: 'a connection',
  plural: 'connections',
  summary: 'show the health of identity providers and other clients',
  description:
    'Connections: the client of each API key, its requests, and whether it is silent for longer than ' +
    'usual. Read-only.',
  path: '/connections',
  page: '/connections',
  items: 'connections',
  view: viewOf<ConnectionView>('key_id'),
  fields: [
    { label: 'key', text: ({ description }) => description, wrapAt: 24 },
    { label: 'client', text: ({ client }) => client, wrapAt: 24 },
    { label: 'state', text: ({ state_text }) => state_text, wrapAt: 40 },
    { label: 'requests in 24 h', text: (one) => String(one.requests_24h), align: 'right' },
    { label: 'refused', text: (one) => String(one.refused_24h), align: 'right' },
    { label: 'last request', time: ({ last_request_at: at }) => at },
    { label: 'last success', time: ({ last_success_at: at }) => at, only: 'show' },
    {
      label: 'last refusal',
      text: ({ last_refusal: last }, { now }) =>
        last && `${formatTime(last.at, now)}: ${last.message} (${last.error})`,
      only: 'show',
    },
    { label: 'user agent', text: ({ user_agent: agent }) => agent, only: 'show' },
    { label: 'prefix', text: ({ prefix }) => prefix },
    { label: 'id', text: ({ key_id }) => key_id, only: 'show' },
  ],
  id: ({ key_id }) => key_id,
  label: ({ description }) => description,
  item: {
    name: '<key>',
    help: "the key's id or prefix, or its description if only one has it",
    searched: ['prefix', 'description'],
  },
  list: {
    description: 'List the connections of a tenant, that of the oldest key first.',
    examples: [['rollgate connection list acme', 'all keys and their clients']],
  },
  show: {
    description:
      'Show a connection and its last cycles: series of requests less than two minutes apart, usually ' +
      'one synchronisation each.',
    more: cyclesOf,
    examples: [['rollgate connection show acme Entra', "by the key's description"]],
  },
  actions: [failures],
});
