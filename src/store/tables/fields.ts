/** The mongoose type of a field whose value has this type. mongoose itself is loaded only to create. */
type FieldType<Value> = [Value] extends [string | null | undefined]
  ? StringConstructor
  : [Value] extends [number | null | undefined]
    ? NumberConstructor
    : [Value] extends [boolean | undefined]
      ? BooleanConstructor
      : [Value] extends [Date | null | undefined]
        ? DateConstructor
        : unknown;

/** A field of whose values the compiler knows more than mongoose. With undefined, it may be absent. */
interface Field<Value> {
  readonly type: unknown;
  /** Never set: for the compiler. */
  readonly value?: Value;
}

type ValueOf<Of> =
  Of extends Field<infer Value>
    ? Value
    : Of extends StringConstructor
      ? string
      : Of extends NumberConstructor
        ? number
        : Of extends BooleanConstructor
          ? boolean
          : Of extends DateConstructor
            ? Date
            : Of extends readonly (infer Item)[]
              ? readonly ValueOf<Item>[]
              : never;

/** A field with values of this type, in mongoose of the given one: `Object` for nested values. */
export const typed = <Value>(type: FieldType<Value>): Field<Value> => ({ type });

const typeOf = (field: object): unknown => ('type' in field ? field.type : field);

/** A field that may be null. */
export const nullable = <Of extends object>(field: Of): Field<ValueOf<Of> | null> => ({
  type: typeOf(field),
});

/** A field that not every document has. */
export const optional = <Of extends object>(field: Of): Field<ValueOf<Of> | undefined> => ({
  type: typeOf(field),
});

type Optional<Fields> = {
  [Name in keyof Fields]: undefined extends ValueOf<Fields[Name]> ? Name : never;
}[keyof Fields];

type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] };

/** The documents that have these fields. */
export type DocumentWith<Fields> = Flat<
  { [Name in Exclude<keyof Fields, Optional<Fields>>]: ValueOf<Fields[Name]> } & {
    [Name in Optional<Fields>]?: Exclude<ValueOf<Fields[Name]>, undefined>;
  }
>;
