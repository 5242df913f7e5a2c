/** For the tests of plugins: a host in memory, and events as they would be committed. */
export {
  type BenchCall,
  type BenchGiven,
  type BenchLine,
  openBench,
  type PluginBench,
} from './testing/plugin-bench.js';
export { SAMPLE_TENANT_ID, sampleEvent } from './testing/sample-event.js';
