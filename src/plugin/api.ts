/**
 * The contract of extensions: the only module of Rollgate that a plugin or a connector may import
 * (from outside: `rollgate/plugin`). docs/plugin-contract.md is generated from it: the comments
 * below are its headings, the docstrings its text.
 */

// Define a plugin
// `definePlugin` takes what is known without starting the plugin. `start` receives the host and
// returns what the plugin provides.
export { definePlugin } from './define-plugin.js';
export { type Plugin, type PluginHealth, type RunningPlugin } from './contract.js';
export { API_VERSION, type Manifest } from './manifest.js';
export type { PluginHost } from './host.js';

// Define a connector
// `defineConnector` declares a source of users, such as an HR system. Its `read` yields records; the
// host does the rest.
export { defineConnector } from './define-connector.js';
export {
  type Connector,
  type ConnectorHost,
  type DeltaSupport,
  type Lifecycle,
  type Mapping,
  type MappingRule,
  type ReadMessage,
  type ReadRequest,
  type RunningConnector,
  type SourceCheck,
  type SourceClock,
  SourceError,
  type SourceErrorKind,
  type SourceField,
  type SourceHttp,
  type SourceNetwork,
  type SourceRequest,
  type SourceResponse,
  type SourceState,
  type Transform,
} from './connector-contract.js';
export {
  checkSource,
  readSourceJson,
  requireOk,
  type ResponseContext,
} from './source-responses.js';
export { optionalLibrary } from './optional-library.js';
