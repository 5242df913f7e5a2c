/** For tests of extensions, `rollgate/plugin/testing`: continues docs/plugin-contract.md. */

// Test a plugin
// Exports of `rollgate/plugin/testing`. `pluginContract` returns the cases that every plugin must
// pass; run them with any test framework. `startTestHost` starts a plugin on the real host with
// storage in memory; it sends nothing.
export {
  type ContractCase,
  type ContractOptions,
  pluginContract,
} from './testing/plugin-contract.js';
export {
  type LogLine,
  startTestHost,
  type TestCall,
  type TestHost,
  type TestHostOptions,
} from './testing/test-host.js';
export { SAMPLE_TENANT_ID, sampleEvent } from './testing/sample-event.js';
export { sampleTenant } from './testing/test-caller.js';
export { createMemoryStorage, type MemoryStorage } from './testing/memory-storage.js';
export { type CheckTry, tryCheck } from './testing/try-check.js';
export { type CommandOutput, type CommandTry, tryCommand } from './testing/try-command.js';
