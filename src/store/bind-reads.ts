import { guarded } from './database-errors.js';

/** The methods of a port as functions that take what they need first. */
export type Reads<Port, Parts> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (parts: Parts, ...given: Given) => Result
    : never;
};

type AnyRead<Parts> = (parts: Parts, ...given: readonly unknown[]) => unknown;

/** The guarded port whose methods are these functions, with these parts. */
export const bindReads = <Port extends object, Parts>(
  reads: Reads<Port, Parts>,
  parts: Parts,
): Port =>
  guarded(
    Object.fromEntries(
      Object.entries<AnyRead<Parts>>(reads).map(([name, read]) => [
        name,
        (...given: readonly unknown[]) => read(parts, ...given),
      ]),
    ),
  ) as Port;
