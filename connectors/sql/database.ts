import type { Socket } from 'node:net';

/** A value of a column, as the connector reads it. */
export type Cell = string | number | boolean | bigint | Buffer | object | null;

export type Row = Readonly<Record<string, Cell>>;

/** A column of a result. */
export interface Column {
  readonly name: string;
  readonly kind: 'integer' | 'timestamp' | 'timestamp-with-zone' | 'other';
  /** How its texts are ordered, if a value that is compared with it must name that. */
  readonly collation?: string;
}

export interface Result {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

/** A session that can only read. Errors are those of the library, except for connections. */
export interface Database {
  readonly query: (statement: string, values?: readonly string[]) => Promise<Result>;
  readonly close: () => void;
}

/** How the two systems differ in the statements that are used. */
export interface Dialect {
  readonly quote: (name: string) => string;
  /** The placeholder of the nth value, from 1, for a comparison with a column. */
  readonly value: (position: number, column: Column) => string;
  /** A column as text, with all its digits. */
  readonly asText: (expression: string) => string;
  readonly collationOf?: (expression: string) => string;
  /** Five minutes before the first value, for a comparison with this column. */
  readonly overlap: (column: Column) => string;
  readonly now: (column: Column) => string;
  /** A transaction in which every statement sees the same rows. */
  readonly snapshot: readonly string[];
}

/** Closes a socket at once. The libraries may still write to it, which is no error any more. */
export const drop = (socket: Socket): void => {
  socket.on('error', () => undefined);
  socket.destroy();
};
