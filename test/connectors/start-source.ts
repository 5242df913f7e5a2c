import type { Connector, ReadMessage, ReadRequest } from '../../src/plugin/api.js';
import { createFakeSourceClock } from '../../src/plugin/testing/test-connector.js';
import { startTestConnector, type TestConnector } from '../../src/plugin/testing.js';

/** A connector on the test host, at noon of 2026-11-22. */
export type TestedSource = TestConnector;

/** Starts a connector; its settings are checked by its schema. Records come in large pages. */
export const startSource = async (
  connector: Connector,
  settings: Record<string, unknown>,
): Promise<TestedSource> => {
  const clock = createFakeSourceClock(new Date('2026-11-22T12:00:00Z'));
  const source = await startTestConnector(connector, { settings, clock });
  const request = (more: Partial<ReadRequest> = {}) => source.request({ pageSize: 1_000, ...more });
  return { ...source, request, readAll: (more) => source.readAll({ pageSize: 1_000, ...more }) };
};

/** The records of a read by id; fails if an id occurs twice. */
export const recordsOf = (messages: readonly ReadMessage[]): ReadonlyMap<string, object> => {
  const records = new Map<string, object>();
  for (const message of messages) {
    if (message.type !== 'record') continue;
    if (records.has(message.id)) throw new Error(`The record ${message.id} was read twice.`);
    records.set(message.id, message.data);
  }
  return records;
};
