import type { Connector } from './connector-contract.js';

/**
 * Declares a connector; its settings are typed by its schema. The result is what a module exports as
 * its default.
 */
export const defineConnector = <Settings>(connector: Connector<Settings>): Connector =>
  connector as unknown as Connector;
