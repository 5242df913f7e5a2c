import type { Manifest } from './contract.js';

/** A source of people, such as an HR system. For now it states only what it is. */
export type Connector<Settings = unknown> = Manifest<Settings>;

/** Declares a connector; its settings are typed by its schema. */
export const defineConnector = <Settings>(connector: Connector<Settings>): Connector =>
  connector as unknown as Connector;
