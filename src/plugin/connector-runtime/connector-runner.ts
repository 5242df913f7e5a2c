import type { z } from 'zod';
import type { CommandOf } from '../../domain/commands.js';
import type { GroupId, RoomId, TenantId, UserId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { ConnectorCommandType } from '../../domain/permissions.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { Preview } from '../../pipeline/preview.js';
import type { Outcome } from '../../pipeline/submit.js';
import type { UserLookups } from '../../ports/users.js';
import type { Connector, OpenConnector } from '../contract/connector-contract.js';
import type { Plugin } from '../contract/contract.js';
import type { SettingFault } from '../contract/extension.js';
import type { PluginHost } from '../contract/host.js';

/** The plugin that runs the connectors of the configuration, with what other plugins do not have. */
export interface ConnectorRunner extends Omit<Plugin, 'start'> {
  /**
   * A strict object with the options of every section under `connectors`, besides Rollgate's own
   * (connector-section.ts).
   */
  readonly connectorOptions: z.ZodObject;
  /**
   * What is wrong with the options of a connector beyond their form, such as a mapping to an attribute
   * that users do not have. Such a connector cannot be used; `rollgate config check` reports it.
   */
  readonly checkConnectorOptions: (options: unknown) => readonly SettingFault[];
  /** What records become with the options of their connector; `rollgate connector try` shows it. */
  readonly mapRecords: MapRecords;
  readonly start: (host: RunnerHost) => ReturnType<Plugin['start']>;
}

export const defineConnectorRunner = (runner: ConnectorRunner): Plugin & ConnectorRunner =>
  runner as Plugin & ConnectorRunner;

export const isConnectorRunner = (plugin: Plugin): plugin is Plugin & ConnectorRunner =>
  'connectorOptions' in plugin;

/** What the gateway provides to the plugin that runs connectors. */
export interface RunnerHost extends PluginHost, RunnerParts {}

/** What it provides to no other plugin. */
export interface RunnerParts {
  /** The sections under `connectors`, also those that are disabled or cannot be used. */
  readonly connectors: readonly ConfiguredConnector[];
  readonly commandsOf: (origin: CommandOrigin) => ConnectorCommands;
  /** Up to 1,000 values at once. */
  readonly users: UserLookups & {
    /** Undefined if there is none, or if it was deleted. `seatsProvisioned` counts its active users. */
    readonly tenant: (slug: string) => Promise<Tenant | undefined>;
  };
}

/** Maps records as a run does, without users and without storing anything. */
export type MapRecords = (
  configured: Pick<ConfiguredConnector, 'name' | 'connector' | 'options'>,
  records: readonly { readonly id: string; readonly data: JsonObject }[],
  now: Date,
) => Promise<{
  readonly people: readonly MappedPerson[];
  /** Options that do not fit the records. */
  readonly faults: readonly SettingFault[];
}>;

/** A record as a user, or why it cannot be one. */
export type MappedPerson =
  | {
      readonly record: string;
      readonly attributes: JsonObject;
      /** Whether the user is active today, and why. */
      readonly state: 'future' | 'active' | 'left';
      readonly why: string;
      readonly groups: readonly string[];
    }
  | { readonly record: string; readonly message: string };

/** On whose behalf commands are submitted. */
export interface CommandOrigin {
  readonly tenantId: TenantId;
  /** The key of its section: the actor in the provisioning log. */
  readonly connector: string;
  /** For the provisioning log, which finds all commands of a request: the run, for example. */
  readonly requestId: string;
  /** Ends commands that wait. */
  readonly signal: AbortSignal;
}

/**
 * Commands on behalf of a connector, in the same pipeline as SCIM and REST; the tenant's other commands
 * go first. A key says what a change is, in up to 500 characters.
 */
export interface ConnectorCommands {
  /**
   * Submits a command and resolves with its outcome. The same key again, also after a crash, changes
   * nothing and returns the first result (`isReplay`), for as long as the provisioning log is kept. A
   * refused command is decided again. Submit many at once: up to 200 of a tenant are in flight, the
   * rest wait in order. Waits while the gateway is busy or its database is away; rejects only with the
   * signal's reason, and then the command may or may not have been carried out.
   */
  readonly submit: <Type extends ConnectorCommandType>(
    key: string,
    command: CommandOf<Type>,
  ) => Promise<Outcome<Type>>;
  /** What the command would do now; writes nothing. */
  readonly preview: <Type extends ConnectorCommandType>(
    command: CommandOf<Type>,
  ) => Promise<Preview<Type>>;
  /**
   * An id for what a command creates, the same for the same key: with it a repeated command finds
   * what the first one created.
   */
  // The call site says of which kind the id is.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  readonly idFor: <Id extends UserId | GroupId | RoomId>(key: string) => Id;
}

/** A section under `connectors`. */
export interface ConfiguredConnector {
  /** The key of the section. */
  readonly name: string;
  /** The name of a built-in connector, a package or a path; empty if the section is malformed. */
  readonly use: string;
  /** The slug of the tenant whose users it provides. Empty if the section is malformed. */
  readonly tenant: string;
  readonly isEnabled: boolean;
  /** Why it cannot be used, as a sentence for an operator; null: it can. */
  readonly problem: string | null;
  /** What it declares; null if it is switched off or cannot be used. */
  readonly connector: Connector | null;
  /** Whether it runs in a process of its own. */
  readonly isolation: 'process' | 'none';
  /**
   * The section as parsed, with `connectorOptions`; null if it is switched off or cannot be used. Settings
   * of the connector in it may be secret: show none of them.
   */
  readonly options: unknown;
  /**
   * Starts it, unless it runs. Rejects with a SourceError, after 10 s at the latest, and never stops
   * the gateway; the next call tries again.
   */
  readonly open: () => Promise<OpenConnector>;
  /** Stops it if it runs; the next `open` starts it again. */
  readonly close: () => Promise<void>;
}
