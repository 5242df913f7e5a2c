export interface Gate<Value> {
  readonly opened: Promise<Value>;
  readonly open: (value: Value) => void;
}

/** A promise that the test resolves when it wants to. */
export const createGate = <Value = void>(): Gate<Value> => {
  let open: Gate<Value>['open'] = () => undefined;
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
