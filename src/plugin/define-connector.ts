import type { Manifest } from './contract.js';

/** A source of users, such as an HR system. So far only a manifest: nothing loads it yet. */
export type Connector<Settings = unknown> = Manifest<Settings>;

/**
 * Declares a connector; its settings are typed by its schema. The code of connectors belongs in
 * `connectors/` (decision 0029).
 */
export const defineConnector = <Settings>(connector: Connector<Settings>): Connector =>
  connector as unknown as Connector;
