import { type Schema, counted } from './ui.ts';
import type { StateWords } from './components/badges.tsx';

type Run = Schema<'ConnectorRun'>;
export type ItemKind = Schema<'ConnectorPlanItem'>['kind'];

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

/** The kinds whose number operators look for first. */
const COUNTED: readonly (readonly [kind: ItemKind, word: string])[] = [
  ['create', 'create'],
  ['update', 'update'],
  ['deactivate', 'deactivate'],
  ['reactivate', 'reactivate'],
  ['link', 'match'],
  ['relink', 'rematch'],
  ['missing', 'missing'],
  ['deferred', 'deferred'],
];

/** `create 3, update 12, deactivate 1` */
export const plannedText = ({ planned }: Pick<Run, 'planned'>): string =>
  COUNTED.flatMap(([kind, word]) => {
    const count = planned[kind] ?? 0;
    return count === 0 ? [] : [`${word} ${count}`];
  }).join(', ') || 'no changes';

/** What was planned and, once it is done, what came of it. */
export const planText = (
  run: Pick<Run, 'planned' | 'state' | 'applied' | 'failed' | 'unchanged'>,
): string =>
  run.state === 'done'
    ? `Planned: ${plannedText(run)}. Applied ${run.applied}, failed ${run.failed}; ${run.unchanged} unchanged`
    : `${plannedText(run)}; ${run.unchanged} unchanged`;

/** How many people the plan changes. */
export const peopleOf = ({ planned }: Pick<Run, 'planned'>): number =>
  COUNTED.reduce((sum, [kind]) => sum + (planned[kind] ?? 0), 0);

export const people = (count: number): string => counted(count, 'person', 'people');

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
