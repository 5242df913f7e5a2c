/** The play cannot go on: something that has to work did not. For people, without a stack. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}
