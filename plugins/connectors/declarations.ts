import { declareRefusal, declareScope } from '../../src/plugin/api.js';

/** To upload people to a connector, and nothing else. */
export const PUSH = declareScope('connectors:push');

export const CONNECTOR_NOT_FOUND = declareRefusal(
  'CONNECTOR_NOT_FOUND',
  'missing',
  'The tenant has no connector "bamboo-eu". List them: rollgate connector list acme. After a change ' +
    'of the configuration, restart the gateway.',
  {
    cause: 'The configuration has no such connector for this tenant.',
    remedy: '`rollgate connector list acme`; after a change of the configuration, restart the gateway.',
  },
);
export const CONNECTOR_RUN_NOT_FOUND = declareRefusal(
  'CONNECTOR_RUN_NOT_FOUND',
  'missing',
  'The connector bamboo-eu has no run with this id.',
  {
    cause: 'The run has expired, or is of another connector.',
    remedy: 'List its runs.',
  },
);
export const CONNECTOR_RUN_ENDED = declareRefusal(
  'CONNECTOR_RUN_ENDED',
  'conflict',
  'The run is done; only a run in progress can be cancelled.',
  {
    cause: 'The run has ended already.',
    remedy: 'Start another one.',
  },
);
export const CONNECTOR_RECORD_NOT_FOUND = declareRefusal(
  'CONNECTOR_RECORD_NOT_FOUND',
  'missing',
  'No record 4711 is in quarantine.',
  {
    cause: 'The record is not in quarantine any more.',
    remedy: 'Nothing.',
  },
);
export const CONNECTOR_DISABLED = declareRefusal(
  'CONNECTOR_DISABLED',
  'conflict',
  'The connector bamboo-eu is disabled.',
  {
    cause: '`enabled: false` in the configuration.',
    remedy: 'Enable it, restart the gateway.',
  },
);
export const CONNECTOR_RUNNING = declareRefusal(
  'CONNECTOR_RUNNING',
  'conflict',
  'The run run-0gx1v0r5c00-a1b2c3 is in progress (reading).',
  {
    cause: 'One run of a connector at a time.',
    remedy: 'Wait, or cancel the run.',
  },
);
export const CONNECTOR_PLAN_OUTDATED = declareRefusal(
  'CONNECTOR_PLAN_OUTDATED',
  'conflict',
  'The digest is not that of the plan. Look at the plan again.',
  {
    cause: 'The plan was made again since you looked at it.',
    remedy: 'Look at the new plan, then approve it.',
  },
);
export const CONNECTOR_UNREACHABLE = declareRefusal(
  'CONNECTOR_UNREACHABLE',
  'conflict',
  'The source rejected the credentials.',
  {
    cause: 'The source cannot be reached, or refuses the credentials.',
    remedy: '`rollgate connector check acme hr`, then correct the settings.',
  },
);

export const SNAPSHOT_NOT_OPEN = declareRefusal(
  'SNAPSHOT_NOT_OPEN',
  'conflict',
  'No snapshot was begun. Send its first upload with ?snapshot=start.',
  {
    cause: 'An upload continues or completes a list of everybody that was not begun.',
    remedy: 'Send the first upload of the list with `?snapshot=start`.',
  },
);
export const UPLOAD_NOT_FOUND = declareRefusal(
  'UPLOAD_NOT_FOUND',
  'missing',
  'The connector has no upload with this id, or it is no longer stored: it is older than 30 days, or a ' +
    'complete list replaced it.',
  {
    cause: 'The connector has no upload with this id, or it is older than 30 days.',
    remedy: 'Use the `Location` of the response to the upload.',
  },
);

export const REFUSALS = [
  CONNECTOR_NOT_FOUND,
  CONNECTOR_RUN_NOT_FOUND,
  CONNECTOR_RUN_ENDED,
  CONNECTOR_RECORD_NOT_FOUND,
  CONNECTOR_DISABLED,
  CONNECTOR_RUNNING,
  CONNECTOR_PLAN_OUTDATED,
  CONNECTOR_UNREACHABLE,
  SNAPSHOT_NOT_OPEN,
  UPLOAD_NOT_FOUND,
];

export const TAG = 'Connectors';
export const TAGS = {
  [TAG]: 'Sources of users, such as HR systems: runs, plans, approvals and quarantine.',
} as const;
