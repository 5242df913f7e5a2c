import { CommandFailure, EXIT, misuse } from './command-failure.js';
import { printable } from './display-width.js';
import type { Session } from './session.js';
import { KeyPage, type KeyView } from './views.js';

const PAGE = 500;

/** The tenant's key with this id or prefix. */
export const findKey = async (session: Session, slug: string, wanted: string): Promise<KeyView> => {
  if (/^rg_[^_]+_/.test(wanted))
    return misuse('That is the key itself. Name it by its id or prefix: keys are secrets.');
  for (let offset = 0; ; offset += PAGE) {
    const query = { limit: PAGE, offset };
    const path = `/tenants/${slug}/api-keys`;
    const page = session.read(KeyPage, await session.client.request('GET', path, { query }));
    const found = page.api_keys.find(
      ({ key_id, prefix }) => key_id === wanted.toLowerCase() || prefix === wanted,
    );
    if (found) return found;
    if (page.api_keys.length === 0 || offset + PAGE >= page.total) throw noSuchKey(slug, wanted);
  }
};

const noSuchKey = (slug: string, wanted: string): CommandFailure =>
  new CommandFailure(EXIT.refused, `${slug} has no key "${printable(wanted)}".`, [
    `"rollgate key list ${slug}" shows the ids and prefixes of all.`,
  ]);
