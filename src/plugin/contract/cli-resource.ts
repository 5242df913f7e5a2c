import type { z } from 'zod';

/**
 * The commands of `rollgate` for one kind of resource: `rollgate webhook list`, `create` and so on.
 * The verbs `create`, `list`, `show`, `update` and `delete` follow from the description, with the
 * same arguments, options and output as those of the core. They call the gateway's APIs.
 */
export interface CliResource<View = unknown> {
  /** The word after `rollgate`: `webhook`. No core command or other plugin may use it. */
  readonly name: string;
  /** With its article: `a webhook`. */
  readonly noun: string;
  readonly plural: string;
  readonly summary: string;
  readonly description: string;
  /** Path of the collection below the tenant, or below an item of `parent`: `/webhooks`. */
  readonly path: string;
  /** Path of its pages in the dashboard, below the tenant: `/settings/webhooks`. */
  readonly page?: string;
  /** False for resources of the operators' API that belong to no tenant. Default: true. */
  readonly perTenant?: boolean;
  /** Name of the plugin's resource that this one is nested in. It needs an `item`. */
  readonly parent?: string;
  /** The property of a list that holds the items: `webhooks`. */
  readonly items: string;
  readonly view: z.ZodType<View>;
  readonly fields: readonly CliField<View>[];
  readonly id: (view: View) => string;
  /** The name in messages. */
  readonly label: (view: View) => string;
  /** Sections below the fields of `show`. */
  readonly details?: (view: View) => readonly CliSection[];
  /** The argument that names one item. Absent: single items cannot be addressed. */
  readonly item?: CliItem;
  /** Default: the admin token only. */
  readonly readAccess?: CliAccess;
  /** Default: `readAccess`. */
  readonly writeAccess?: CliAccess;
  readonly create?: CliCreate<View>;
  readonly list?: CliList;
  readonly show?: CliVerb;
  readonly update?: CliUpdate;
  readonly delete?: CliDelete<View>;
  readonly actions?: readonly CliAction[];
}

/** Which credentials a command accepts. An API key, if given, is used before the admin token. */
export interface CliAccess {
  readonly admin: boolean;
  /** The scope that an API key needs. Absent: API keys are not accepted. */
  readonly scope?: string;
}

/** A column of `list` and a line of `show`. */
export type CliField<View> = {
  readonly label: string;
  readonly align?: 'right';
  /** Longer texts are wrapped in the list. */
  readonly wrapAt?: number;
  readonly only?: 'list' | 'show';
} & (
  | { readonly text: (view: View) => string | null | undefined }
  /** An ISO 8601 time, printed with its distance from now. */
  | { readonly time: (view: View) => string | null }
);

/** A positional argument; never empty. */
export interface CliArgument {
  /** `<url>` */
  readonly name: string;
  readonly help: string;
  /** The property of the request body that it sets. */
  readonly field?: string;
}

/** The argument that names an item: its id, or the text of a field. */
export interface CliItem extends CliArgument {
  /** Properties by which an item can be named as well; the list is searched for them. */
  readonly searched?: readonly string[];
}

/** An option that sets a property of the request body, or a query parameter of `list`. */
export interface CliOption {
  /** `--limit <number>`, or `--dry-run` */
  readonly flags: string;
  readonly help: string;
  /**
   * The property that it sets; `scim.strict` for a nested one. Default: `external_id` for
   * `--external-id`.
   */
  readonly field?: string;
  readonly choices?: readonly string[];
  /**
   * Default: text. `past-time` also accepts how long ago it was, such as `2h`; `events` are names of
   * events and families such as `user.*`, separated by commas, as a list of names.
   */
  readonly type?: CliInteger | 'past-time' | 'events';
  /** Whether `none` sets null. */
  readonly nullable?: boolean;
  /**
   * Converts the text; throws an Error with a sentence for the user. If the option is repeated,
   * arrays are concatenated and objects merged.
   */
  readonly parse?: (text: string) => unknown;
  readonly isRequired?: boolean;
  /** Whether `-` reads the value from standard input. */
  readonly isSecret?: boolean;
}

/** A whole number and its bounds, inclusive. */
export interface CliInteger {
  readonly min: number;
  readonly max: number;
}

/** What every command describes. */
export interface CliVerb {
  /** Default: for example `list webhooks`. */
  readonly summary?: string;
  /** Default: the summary as a sentence. */
  readonly description?: string;
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

/** The command `create`. */
export interface CliCreate<View> extends CliVerb {
  readonly arguments?: readonly CliArgument[];
  readonly options?: readonly CliOption[];
  /** A note below the result: what to do next. */
  readonly next?: (view: View) => string;
  /** What `--quiet` prints instead of the id: a secret that only this response contains. */
  readonly quiet?: (view: View) => string;
}

/** The command `list`. */
export interface CliList extends CliVerb {
  /**
   * `rollgate export` writes this list to a file that is named after `items`. Only for resources of a
   * tenant that are not nested.
   */
  readonly isExported?: true;
  readonly filters?: readonly CliOption[];
  /** Of a nested resource: without an item of `parent`, it lists those of all, at `path`. */
  readonly isOfAllParents?: true;
}

/** The command `update`. */
export interface CliUpdate extends CliVerb {
  readonly options: readonly CliOption[];
}

/** The command `delete`, which asks for confirmation. */
export interface CliDelete<View> extends CliVerb {
  /** What the deletion means; the user confirms it. */
  readonly warning: (view: View, tenant: string) => string;
}

/** A command for one item beyond the five verbs: `rollgate webhook test`. */
export interface CliAction extends CliVerb {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly CliArgument[];
  readonly options?: readonly CliOption[];
  /** Default: `readAccess` of the resource. */
  readonly access?: CliAccess;
  /** Whether `--dry-run` is an option: all its requests that change something accept `dry_run`. */
  readonly canDryRun?: boolean;
  readonly run: (call: CliCall) => Promise<CliResult>;
  /** The result as a page, for `-o html`. Absent: the command prints no HTML. */
  readonly html?: (call: CliCall) => Promise<string>;
  /** The result for `-o csv`. Absent: the items of the last response. */
  readonly csv?: (call: CliCall) => Promise<string>;
}

/** A run of an action. */
export interface CliCall {
  readonly id: string;
  /** Path of the item. */
  readonly path: string;
  /** What the options set. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The further arguments. */
  readonly args: readonly string[];
  /**
   * Calls the API below the tenant. Resolves to the body of a 2xx response, of a file to its text; any other response ends
   * the command with its message.
   */
  readonly request: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    parts?: {
      readonly query?: Readonly<Record<string, string | number>>;
      readonly body?: unknown;
    },
  ) => Promise<unknown>;
  /** Prints a line to standard error at once: progress of long work. Omitted like notes. */
  readonly report: (line: string) => void;
}

/** What an action prints. With `--json`, that is the body of its last response. */
export interface CliResult {
  /** Printed before the result, on standard error. Omitted with `--json` and `--quiet`. */
  readonly note?: string;
  readonly sections: readonly CliSection[];
  /** With `--quiet`, one per line. Default: nothing. */
  readonly quiet?: readonly string[];
  /** Whether the exit code is 1. */
  readonly isFailure?: boolean;
}

/** Printed text, labelled values or a table. `-` is printed for null and undefined. */
export type CliSection =
  | { readonly text: string }
  | { readonly fields: readonly (readonly [label: string, value: string | null | undefined])[] }
  | CliTable;

/** A table. */
export interface CliTable {
  readonly columns: readonly CliColumn[];
  readonly rows: readonly (readonly (string | null | undefined)[])[];
}

/** A column of a table. */
export interface CliColumn {
  readonly title: string;
  readonly align?: 'right';
  readonly wrapAt?: number;
}

/** Checks a description against the type of its view; lists of resources omit that type. */
export const defineCliResource = <View>(resource: CliResource<View>): CliResource =>
  resource as unknown as CliResource;
