import { printable } from './display-width.js';
import type { GatewayAnswer } from './gateway-client.js';
import type { Session } from './session.js';
import { relativeTime, showTime } from './show-time.js';
import { renderFields, renderTable } from './table.js';
import { CreatedKey, type KeyView } from './views.js';

/** For the middle of a sentence. */
export const lastUse = ({ last_used_at }: KeyView, now: Date): string =>
  last_used_at === null
    ? 'it was never used'
    : `it was last used ${relativeTime(new Date(last_used_at), now)}`;

export const keyTable = (
  keys: readonly KeyView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (keys.length === 0) return '';
  const now = world.now();
  const used = ({ last_used_at }: KeyView): string =>
    last_used_at === null ? 'never' : showTime(last_used_at, now);
  return renderTable<KeyView>(
    [
      { title: 'PREFIX', cell: ({ prefix }) => prefix },
      { title: 'DESCRIPTION', cell: ({ description }) => printable(description), wrapAt: 30 },
      { title: 'SCOPES', cell: ({ scopes }) => scopes.join(' '), wrapAt: 32 },
      { title: 'LAST USED', cell: used },
      { title: 'CREATED', cell: ({ created_at }) => showTime(created_at, now) },
      { title: 'KEY ID', cell: ({ key_id }) => key_id },
    ],
    keys,
    paint,
  );
};

/** The one time that a key is seen: alone on the standard output, so that it can be captured. */
export const showNewKey = (session: Session, slug: string, answer: GatewayAnswer): void => {
  const made = session.read(CreatedKey, answer);
  const { notePaint: paint, access } = session;
  session.note(
    `${paint.bold('A new API key')}, shown only now. Copy it: Rollgate keeps no copy.\n\n`,
  );
  session.print({
    people: () => `${made.key}\n`,
    json: answer.text,
    quiet: () => made.key,
  });
  session.note(
    '\n' +
      renderFields(
        [
          ['description', printable(made.description)],
          ['scopes', made.scopes.join(', ')],
          ['key id', made.key_id],
          ...addressesFor(made.scopes, `${access.publicUrl}/v1/${slug}`),
        ],
        paint,
      ),
  );
};

/** Where this key opens something. */
const addressesFor = (scopes: readonly string[], base: string): [string, string][] => {
  const isScim = (scope: string): boolean => scope.startsWith('scim:');
  return [
    ...(scopes.some(isScim) ? [['SCIM address', `${base}/scim/v2`] as [string, string]] : []),
    ...(scopes.every(isScim) ? [] : [['REST address', base] as [string, string]]),
  ];
};
