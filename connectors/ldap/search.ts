import type { Entry, Filter } from 'ldapts';
import { SourceError } from '../../src/plugin/api.js';
import type { Connection } from './connect.js';
import { describeFault } from './describe-fault.js';
import type { LdapSettings } from './settings.js';

interface Search {
  readonly base: string;
  readonly filter: Filter | string;
  readonly attributes: readonly string[];
  readonly scope?: 'base' | 'sub';
  readonly pageSize: number;
}

/**
 * Searches page by page. Throws a SourceError if the server returned only a part: at a limit, after a
 * referral, or because the connection broke.
 */
export async function* search(
  { client }: Connection,
  { base, filter, attributes, scope = 'sub', pageSize }: Search,
  settings: LdapSettings,
): AsyncGenerator<readonly Entry[]> {
  try {
    const pages = client.searchPaginated(base, {
      scope,
      filter,
      attributes: [...attributes],
      explicitBufferAttributes: ['objectGUID'],
      paged: { pageSize: Math.min(pageSize, MAX_PAGE) },
    });
    for await (const { searchEntries, searchReferences } of pages) {
      const [referral] = searchReferences;
      if (referral !== undefined && settings.referrals === 'refuse')
        throw new SourceError(
          'config',
          `Another server holds a part of ${base}: ${referral}. Set a \`base\` that this ` +
            'server holds as a whole, or `referrals: ignore` if there are no people in that part.',
        );
      yield searchEntries;
    }
  } catch (error) {
    throw describeFault(error, settings);
  }
}

/** More is refused by some servers; Active Directory returns at most 1,000. */
const MAX_PAGE = 500;

/** The entry of this name; undefined if there is none, or this user may not see it. */
export const findEntry = async (
  connection: Connection,
  dn: string,
  attributes: readonly string[],
  settings: LdapSettings,
): Promise<Entry | undefined> => {
  try {
    const { searchEntries } = await connection.client.search(dn, {
      scope: 'base',
      attributes: [...attributes],
      explicitBufferAttributes: ['objectGUID'],
    });
    return searchEntries[0];
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'number' && MISSING.has(code)) return undefined;
    throw describeFault(error, settings);
  }
};

/** noSuchObject, invalidDNSyntax, insufficientAccessRights, referral. */
const MISSING = new Set([32, 34, 50, 10]);
