/**
 * For tests of extensions (`rollgate/plugin/testing`): the real host with storage in memory, events as
 * they would be committed, and the contract that every plugin must satisfy.
 */
export {
  type ContractCase,
  type ContractOptions,
  pluginContract,
} from './testing/plugin-contract.js';
export { type CheckTry, tryCheck } from './testing/try-check.js';
export { type CommandOutput, type CommandTry, tryCommand } from './testing/try-command.js';
export { createMemoryStorage, type MemoryStorage } from './testing/memory-storage.js';
export { SAMPLE_TENANT_ID, sampleEvent } from './testing/sample-event.js';
export { sampleTenant } from './testing/test-caller.js';
export {
  type LogLine,
  startTestHost,
  type TestCall,
  type TestHost,
  type TestHostOptions,
} from './testing/test-host.js';
