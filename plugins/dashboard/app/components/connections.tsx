import { type Schema, type Loaded, Time } from '../ui.ts';
import type { StateWords } from './badges.tsx';
import { List } from './list.tsx';
import { Section } from './page.tsx';
import { type Column, TwoLines } from './table.tsx';

type Connection = Schema<'Connection'>;

export const CONNECTION_STATES: Readonly<Record<Connection['state'], StateWords>> = {
  never_used: ['neutral', 'Never used'],
  silent: ['warning', 'Silent'],
  refused: ['bad', 'Refused'],
  active: ['good', 'Active'],
};

/** The client, or else the label of the key. */
export const titleOfConnection = ({ client, description }: Connection): string =>
  client ?? description;

export const CYCLE_COLUMNS: readonly Column<Schema<'ConnectionCycle'>>[] = [
  { title: 'Start', cell: ({ from }) => <Time at={from} form="absolute" /> },
  { title: 'Requests', figure: 'requests' },
  { title: 'Users changed', figure: 'users_changed' },
  { title: 'Refused', figure: 'refused' },
  { title: 'Last request', time: 'until', isMinor: true },
];

export const FAILURE_COLUMNS: readonly Column<Schema<'FailedAuthentication'>>[] = [
  {
    title: 'Reason',
    cell: ({ message, key_prefix: prefix }) => (
      <TwoLines detail={prefix !== null && <code>{prefix}…</code>}>{message}</TwoLines>
    ),
  },
  { title: 'Address', cell: ({ address }) => <code>{address}</code> },
  { title: 'Requests', figure: 'count' },
  { title: 'First', time: 'first_at', isMinor: true },
  { title: 'Last', time: 'last_at' },
];

export const FailedAuthentications = ({
  lead,
  of,
}: {
  readonly lead: string;
  readonly of: Loaded<Schema<'FailedAuthenticationList'>>;
}) => (
  <Section title="Failed authentications" lead={lead} flush>
    <List
      of={of}
      rows={(page) => page.failed_authentications}
      caption="Failed authentications, newest first"
      columns={FAILURE_COLUMNS}
      isWhole
      empty={{ icon: 'check', title: 'No failed authentications' }}
    />
  </Section>
);
