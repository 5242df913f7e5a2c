import { SourceError } from './connector-contract.js';

/**
 * Loads a library that is installed only where a connector needs it:
 * `await optionalLibrary('ldapts', () => import('ldapts'))`. Throws a SourceError that names the
 * command to install it.
 */
export const optionalLibrary = async <Library>(
  name: string,
  load: () => Promise<Library>,
): Promise<Library> => {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = /MODULE_NOT_FOUND/.test(code ?? '') && message.includes(`'${name}'`);
    if (!isMissing) throw cause;
    throw new SourceError(
      'config',
      `The package ${name} is not installed. Install it where Rollgate is installed: ` +
        `npm install ${name}`,
      { cause },
    );
  }
};
