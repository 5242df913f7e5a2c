import { Link } from 'wouter-preact';
import { oneOf, withQuery } from '../address.ts';
import type { Schema, Filter } from '../ui.ts';
import type { StateWords } from './badges.tsx';

type Command = Schema<'Command'>;
type Outcome = Command['outcome'];
/** Of the OpenAPI document; the build writes them in. */
declare const TYPES_OF_COMMANDS: readonly (readonly [type: Command['type'], title: string])[];
const COMMAND_TYPES = TYPES_OF_COMMANDS.map(([type]) => type);

export const OUTCOME_STATES: Readonly<Record<Outcome, StateWords>> = {
  applied: ['good', 'Applied'],
  'no-op': ['neutral', 'Unchanged'],
  refused: ['warning', 'Refused'],
  failed: ['bad', 'Failed'],
};

const OUTCOMES = Object.keys(OUTCOME_STATES) as readonly Outcome[];

const SOURCES: readonly (readonly [value: Command['source'], title: string])[] = [
  ['scim', 'SCIM'],
  ['rest', 'REST API'],
  ['connector', 'Connector'],
  ['dashboard', 'Dashboard'],
  ['cli', 'Command line'],
  ['admin', 'Admin API'],
  ['system', 'System'],
];

const SOURCE_NAMES = SOURCES.map(([source]) => source);

export const sourceTitle = (source: string): string =>
  SOURCES.find(([value]) => value === source)?.[1] ?? source;

export const COMMAND_FILTERS: readonly Filter<'outcome' | 'source' | 'type'>[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    all: 'All outcomes',
    choices: OUTCOMES.map((outcome) => [outcome, OUTCOME_STATES[outcome][1]] as const),
  },
  { name: 'source', label: 'Source', all: 'All sources', choices: SOURCES },
  { name: 'type', label: 'Type', all: 'All types', choices: TYPES_OF_COMMANDS },
];

/** These filters, as a query of the API. */
export const commandQuery = ({
  outcome,
  source,
  type,
}: Readonly<Record<'outcome' | 'source' | 'type', string>>) => ({
  outcome: oneOf(OUTCOMES, outcome),
  source: oneOf(SOURCE_NAMES, source),
  type: oneOf(COMMAND_TYPES, type),
});

export const nameOf = ({ name, id, kind }: Schema<'LoggedObject'>): string => name ?? id ?? kind;

/** Opens the log with the commands that match. */
export const LogLink = ({
  slug,
  of,
  text = 'View changes',
}: {
  readonly slug: string;
  readonly of: Readonly<Record<string, string>>;
  readonly text?: string;
}) => <Link href={withQuery(`/t/${slug}/log`, of)}>{text}</Link>;

/** What a command did, in a row that opens its page. */
export const CommandLink = ({ slug, of }: { readonly slug: string; readonly of: Command }) => (
  <Link class="row-link" href={`/t/${slug}/log/${of.id}`}>
    {of.title} {of.subject && <strong>{nameOf(of.subject)}</strong>}
  </Link>
);
