/**
 * What `plugins/connectors` is given besides the contract of extensions (api.ts). No other plugin may
 * import it: it changes with that plugin.
 */

export {
  type CommandOrigin,
  type ConfiguredConnector,
  defineConnectorRunner,
  type MapRecords,
  type RunnerHost,
} from './connector-runtime/connector-runner.js';
export { ConfigError } from '../../config/config-error.js';
export { parseConfigText } from '../../config/config-file.js';
export { capitalise } from '../domain/kernel/in-words.js';
export { maskValues } from '../process/mask-json.js';
export type { CommandOf } from '../domain/commands.js';
export type { ConnectorCommandType } from '../domain/permissions.js';
export type { Outcome } from '../pipeline/submit.js';
export {
  type User,
  type UserProfile,
  displayNameOf,
  emailOf,
  isEmailAddress,
} from '../domain/user/user.js';
