/**
 * Names that cannot be personal data, such as a phone number. Others are not repeated in responses.
 */
const PLAIN_NAME = /^[A-Za-z_][\w.:$-]{0,63}$/;

/** Whether a name that a client has made up may be repeated. */
export const isPlainName = (name: string): boolean => PLAIN_NAME.test(name);

const isPlainStep = (step: PropertyKey): boolean =>
  typeof step === 'number' || isPlainName(String(step));

interface PlainPath {
  /** Without the first name that is not plain, and what follows it. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** The path of a field, for messages: `members[0].user_id`. */
export const plainPath = (path: readonly PropertyKey[]): PlainPath => {
  const end = path.findIndex((step) => !isPlainStep(step));
  const text = (end < 0 ? path : path.slice(0, end))
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return { text, isWhole: end < 0 };
};
