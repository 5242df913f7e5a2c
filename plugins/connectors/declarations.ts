import { declareRefusal, declareScope } from '../../src/plugin/api.js';

/** To upload people to a connector, and nothing else. */
export const PUSH = declareScope('connectors:push');

export const CONNECTOR_NOT_FOUND = declareRefusal(
  'CONNECTOR_NOT_FOUND',
  'missing',
  'The tenant has no connector "bamboo-eu". List them: rollgate connector list acme. After a change ' +
    'of the configuration, restart the gateway.',
);
export const CONNECTOR_RUN_NOT_FOUND = declareRefusal(
  'CONNECTOR_RUN_NOT_FOUND',
  'missing',
  'The connector bamboo-eu has no run with this id.',
);
export const CONNECTOR_RUN_ENDED = declareRefusal(
  'CONNECTOR_RUN_ENDED',
  'conflict',
  'The run is done; only a run in progress can be cancelled.',
);
export const CONNECTOR_RECORD_NOT_FOUND = declareRefusal(
  'CONNECTOR_RECORD_NOT_FOUND',
  'missing',
  'No record 4711 is in quarantine.',
);
export const CONNECTOR_DISABLED = declareRefusal(
  'CONNECTOR_DISABLED',
  'conflict',
  'The connector bamboo-eu is disabled.',
);
export const CONNECTOR_RUNNING = declareRefusal(
  'CONNECTOR_RUNNING',
  'conflict',
  'The run run-0gx1v0r5c00-a1b2c3 is in progress (reading).',
);
export const CONNECTOR_PLAN_OUTDATED = declareRefusal(
  'CONNECTOR_PLAN_OUTDATED',
  'conflict',
  'The digest is not that of the plan. Look at the plan again.',
);
export const CONNECTOR_UNREACHABLE = declareRefusal(
  'CONNECTOR_UNREACHABLE',
  'conflict',
  'The source rejected the credentials.',
);

export const SNAPSHOT_NOT_OPEN = declareRefusal(
  'SNAPSHOT_NOT_OPEN',
  'conflict',
  'No snapshot was begun. Send its first upload with ?snapshot=start.',
);
export const UPLOAD_NOT_FOUND = declareRefusal(
  'UPLOAD_NOT_FOUND',
  'missing',
  'The connector has no upload with this id, or it is no longer stored: it is older than 30 days, or a ' +
    'complete list replaced it.',
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
