/** Commands of `rollgate` about one kind of thing: `rollgate webhook …`. */
export interface CliCommandGroup {
  /** The word after `rollgate`; no command of the core or of another plugin may have it. */
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CliCommand[];
}

/** A command, such as `rollgate webhook list <slug>`. It is a client of the operators' API. */
export interface CliCommand {
  /** The word after the group: a verb such as `list`, `show`, `create`, `update` or `delete`. */
  readonly name: string;
  readonly summary: string;
  /** Absent: the summary. */
  readonly description?: string;
  /** In their order. */
  readonly arguments?: readonly CliArgument[];
  readonly options?: readonly CliOption[];
  /** Command lines and what they are for. */
  readonly examples?: readonly (readonly [line: string, meaning: string])[];
  readonly run: (call: CliCall) => Promise<void>;
}

export interface CliArgument {
  readonly name: string;
  readonly description: string;
  /** Absent: it must be given. */
  readonly isOptional?: true;
}

export interface CliOption {
  /** `--limit` */
  readonly flag: string;
  /** What follows it: `<number>`. Absent: nothing, it is on or off. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
}

/** A command that was entered. */
export interface CliCall {
  /** By their names. */
  readonly arguments: Readonly<Record<string, string | undefined>>;
  /** By their flags; true for one without a value. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /**
   * Calls the operators' API; the path is relative to `/admin/v1`. Resolves with the body of a 2xx
   * response. Any other response ends the command with its message, so need not be handled.
   */
  readonly request: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    parts?: {
      readonly query?: Readonly<Record<string, string | number>>;
      readonly body?: unknown;
    },
  ) => Promise<unknown>;
  /** Prints the result in the style that was asked for. */
  readonly print: (result: CliResult) => void;
  /** A remark on standard error; omitted with `--json` and `--quiet`. */
  readonly note: (text: string) => void;
}

/** A result in each style. */
export interface CliResult {
  /** For people: text, or a table. */
  readonly people: string | CliTable;
  /** With `--json`: the response of the API. */
  readonly json: unknown;
  /** With `--quiet`: ids, one per line. Absent: nothing. */
  readonly quiet?: readonly string[];
}

export interface CliTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
