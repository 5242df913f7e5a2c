import type { Loaded, Schema } from '../ui.ts';
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

type Failure = Schema<'FailedAuthentication'>;

const FAILURE_COLUMNS: readonly Column<Failure>[] = [
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
  only = (all) => all,
}: {
  readonly lead: string;
  readonly of: Loaded<Schema<'FailedAuthenticationList'>>;
  readonly only?: (all: readonly Failure[]) => readonly Failure[];
}) => (
  <Section title="Failed authentications" lead={lead} flush>
    <List
      of={of}
      rows={(page) => only(page.failed_authentications)}
      caption="Failed authentications, newest first"
      columns={FAILURE_COLUMNS}
      isWhole
      empty={{ icon: 'check', title: 'No failed authentications' }}
    />
  </Section>
);
