/** For tests of extensions, `rollgate/plugin/testing`: continues docs/plugin-contract.md. */

// Test a plugin
// Exports of `rollgate/plugin/testing`. `pluginContract` returns the cases that every plugin must
// pass; run them with any test framework. `startTestHost` starts a plugin on the real host, with
// storage in memory; it sends nothing.
export * from './testing/plugin-contract.js';
export * from './testing/test-host.js';
export type { LogLine } from './testing/test-log.js';
export type { HostParts } from './host/plugin-host.js';
export * from './testing/samples.js';
export { type CommandOutput, type CommandTry, tryCommand } from './testing/try-parts.js';

// Test a connector
// `runConnectorContract` returns the cases that every connector must pass, against a real server or one
// that is built from the vendor's description. `startTestConnector` starts a connector on the real
// host; its clock's pauses take no time.
export * from './testing/connector-contract.js';
export * from './testing/test-connector.js';
