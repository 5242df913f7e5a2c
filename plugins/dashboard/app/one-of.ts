/** The value if it is one of these: an address that someone shared may contain any text. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  text: string,
): Value | undefined => values.find((value) => value === text);
