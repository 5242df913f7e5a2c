import { Link } from 'wouter-preact';
import type { Schema, Filter } from '../ui.ts';
import type { StateWords } from './badges.tsx';

type Command = Schema<'Command'>;
type Outcome = Command['outcome'];
/** Of the OpenAPI document; the build writes them in. */
declare const TYPES_OF_COMMANDS: readonly (readonly [type: Command['type'], title: string])[];
export const COMMAND_TYPES = TYPES_OF_COMMANDS.map(([type]) => type);

export const OUTCOME_STATES: Readonly<Record<Outcome, StateWords>> = {
  applied: ['good', 'Applied'],
  'no-op': ['neutral', 'Unchanged'],
  refused: ['warning', 'Refused'],
  failed: ['bad', 'Failed'],
};

export const OUTCOMES = Object.keys(OUTCOME_STATES) as readonly Outcome[];

const SOURCES: readonly (readonly [value: Command['source'], title: string])[] = [
  ['scim', 'SCIM'],
  ['rest', 'REST API'],
  ['connector', 'Connector'],
  ['dashboard', 'Dashboard'],
  ['cli', 'Command line'],
  ['admin', 'Admin API'],
  ['system', 'System'],
];

export const SOURCE_NAMES = SOURCES.map(([source]) => source);

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

export const nameOf = ({ name, id, kind }: Schema<'LoggedObject'>): string => name ?? id ?? kind;

/** The page of an object; undefined: it has none. */
export const pageOf = (slug: string, { kind, id }: Schema<'LoggedObject'>): string | undefined => {
  const base = `/t/${slug}`;
  if (kind === 'role-mapping') return `${base}/admin/security/sso/directory-roles`;
  if (kind === 'api-key') return `${base}/settings/api-keys`;
  if (id === null) return undefined;
  if (kind === 'user') return `${base}/users/${id}`;
  if (kind === 'room') return `${base}/rooms/${id}`;
  return kind === 'sms-list' ? `${base}/sms-lists/${id}` : undefined;
};

/** What a command did, in a row that opens its page. */
export const CommandLink = ({ slug, of }: { readonly slug: string; readonly of: Command }) => (
  <Link class="row-link" href={`/t/${slug}/log/${of.id}`}>
    {of.title} {of.subject && <strong>{nameOf(of.subject)}</strong>}
  </Link>
);
