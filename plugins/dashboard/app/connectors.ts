import type { Schema } from './ui.ts';
import type { StateWords } from './components/badges.tsx';

type Run = Schema<'ConnectorRun'>;
type ItemKind = Schema<'ConnectorPlanItem'>['kind'];

export const CONNECTOR_STATES: Readonly<Record<Schema<'Connector'>['state'], StateWords>> = {
  ready: ['good', 'Ready'],
  running: ['accent', 'Running'],
  held: ['warning', 'Needs approval'],
  paused: ['warning', 'Paused'],
  quarantined: ['bad', 'Quarantined'],
  disabled: ['neutral', 'Disabled'],
  unusable: ['bad', 'Configuration error'],
};

const RUN_STATES: Readonly<Record<Run['state'], StateWords>> = {
  queued: ['accent', 'Queued'],
  reading: ['accent', 'Reading'],
  planning: ['accent', 'Planning'],
  planned: ['neutral', 'Plan only'],
  held: ['warning', 'Needs approval'],
  approved: ['accent', 'Approved'],
  applying: ['accent', 'Applying'],
  done: ['good', 'Done'],
  failed: ['bad', 'Failed'],
  rejected: ['neutral', 'Rejected'],
  expired: ['neutral', 'Expired'],
  superseded: ['neutral', 'Superseded'],
  cancelled: ['neutral', 'Cancelled'],
};

/** A run that could not apply everything is done, but not well. */
export const runStateOf = ({ state, failed }: Pick<Run, 'state' | 'failed'>): StateWords =>
  state === 'done' && failed > 0 ? ['warning', `Done, ${failed} failed`] : RUN_STATES[state];

export const isUnderway = ({ state }: Pick<Run, 'state'>): boolean =>
  ['queued', 'reading', 'planning', 'approved', 'applying'].includes(state);

export const ITEM_KINDS: Readonly<Record<ItemKind, StateWords>> = {
  create: ['good', 'Create'],
  link: ['accent', 'Matched'],
  relink: ['accent', 'Rematched'],
  update: ['accent', 'Update'],
  deactivate: ['bad', 'Deactivate'],
  reactivate: ['good', 'Reactivate'],
  missing: ['warning', 'Missing'],
  deferred: ['warning', 'Deferred'],
  future: ['neutral', 'Future start'],
  touch: ['neutral', 'Unchanged'],
};

/** How many people the plan changes at once. */
export const changedAtOnce = ({ outlook }: Pick<Run, 'outlook'>): number =>
  outlook
    .flatMap(({ when, lines }) => (when === 'now' ? lines : []))
    .reduce((sum, { class: of, count }) => sum + (of === null ? 0 : count), 0);

const MODES: Readonly<Record<Run['mode'], string>> = {
  full: 'Full',
  delta: 'Incremental',
  dates: 'Dates only',
  ids: 'Selected records',
};

const TRIGGERS: Readonly<Record<Run['trigger'], string>> = {
  schedule: 'scheduled',
  'catch-up': 'catch-up',
  operator: 'manual',
  first: 'first run',
  upload: 'uploaded',
};

export const modeText = ({ mode, trigger, requested_by: by }: Run): string =>
  `${MODES[mode]}, ${by === null ? TRIGGERS[trigger] : `started by ${by}`}`;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Of entries, the values: `[{ value: 'ada@example.com', type: 'work' }]`. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  if (!Array.isArray(value)) return textOf(value);
  return value
    .map((one: unknown) =>
      textOf(typeof one === 'object' && one !== null && 'value' in one ? one.value : one),
    )
    .join(', ');
};
