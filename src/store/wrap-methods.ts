/** The same port, each of whose methods calls the port's own through `wrap`. */
export const wrapMethods = <Port extends object>(
  port: Port,
  wrap: (call: () => unknown) => unknown,
): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, method]: [string, (...given: unknown[]) => unknown]) => [
      name,
      (...given: unknown[]) => wrap(() => method(...given)),
    ]),
  ) as Port;
