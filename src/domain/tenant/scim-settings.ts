/**
 * The settings of a tenant that are a choice, a switch or a number. Each is declared once: the schemas
 * of the API, the options of the command line, the controls of the dashboard, the provisioning log and
 * docs/tenant-settings.md follow.
 */

interface Described {
  /** What it is about, as a heading: "A SCIM PUT of a group without members". */
  readonly title: string;
  /** What it does, in sentences; Markdown. */
  readonly about: string;
  /** Option of `rollgate tenant create` and `update`. */
  readonly option: string;
}

export interface Choice<Value extends string = string> extends Described {
  readonly kind: 'choice';
  /** What each value does: in a few words, and a sentence. */
  readonly values: Readonly<Record<Value, readonly [title: string, about: string]>>;
  readonly default: Value;
}

export interface Switch extends Described {
  readonly kind: 'switch';
  readonly default: boolean;
}

/** A number from `min` to `max`, or null. */
export interface Count extends Described {
  readonly kind: 'count';
  readonly min: number;
  readonly max: number;
  /** What null means: "any number". */
  readonly whenNull: string;
  readonly default: number | null;
}

export type Setting = Choice | Switch | Count;

const choice = <Value extends string>(
  given: Omit<Choice<Value>, 'kind' | 'default'> & { readonly default: NoInfer<Value> },
): Choice<Value> => ({ kind: 'choice', ...given });

const toggle = (given: Omit<Switch, 'kind' | 'default'>): Switch => ({
  kind: 'switch',
  default: false,
  ...given,
});

const count = (given: Omit<Count, 'kind' | 'default'>): Count => ({
  kind: 'count',
  default: null,
  ...given,
});

/** Whether a pushed group creates its missing room (decisions.md 5). */
export const ROOM_PROVISIONING = choice({
  title: 'A pushed group without a room',
  about: 'What creating a SCIM group without a matching room does.',
  option: '--room-provisioning',
  values: {
    manual: [
      'Refuse the group',
      'It returns ROOM_NOT_FOUND: an operator creates the room first, or maps one to the group.',
    ],
    automatic: ['Create the room', 'Every group of the identity provider becomes a room.'],
  },
  default: 'manual',
});

/** By their names in the domain; `scimSettingName` has those of the API. */
export const SCIM_SETTINGS = {
  putWithoutMembers: choice({
    title: 'A SCIM PUT of a group without members',
    about: 'What a SCIM PUT of a group does whose body has no `members`.',
    option: '--scim-put-without-members',
    values: {
      clear: ['Remove all members', 'As SCIM specifies, because clients omit empty lists.'],
      keep: ['Keep the members', 'For clients that leave out what they do not change.'],
    },
    default: 'clear',
  }),
  unknownMembers: choice({
    title: 'Unknown members of a SCIM group',
    about: 'What a SCIM POST, PUT or PATCH of a group does that names users who do not exist.',
    option: '--scim-unknown-members',
    values: {
      reject: [
        'Refuse the request',
        'Nothing changes; the response names them. Some identity providers do not try again.',
      ],
      skip: [
        'Leave them out',
        'The other members are applied. The provisioning log and the home page show who was left out.',
      ],
    },
    default: 'reject',
  }),
  postExisting: choice({
    title: 'A SCIM POST of an inactive user',
    about:
      'What a SCIM POST of a user does if an inactive user has the same `userName` and, where both ' +
      'have one, the same `externalId`: a person who returns. Active users are never changed by a POST, ' +
      'and users are never found by e-mail address alone.',
    option: '--scim-post-existing',
    values: {
      conflict: ['Refuse the request', 'It returns 409, EMAIL_TAKEN or USERNAME_TAKEN.'],
      reactivate: [
        'Reactivate the user',
        'The user keeps the id, gets the new profile and takes a seat; the response is 201.',
      ],
    },
    default: 'conflict',
  }),
  accessTokens: toggle({
    title: 'Short-lived access tokens',
    about:
      'Clients may exchange an API key for an access token that is valid for an hour, at ' +
      '`/v1/{tenant}/oauth2/token`, by the client credentials grant of OAuth 2.0.',
    option: '--scim-access-tokens',
  }),
  logPosition: toggle({
    title: 'Position in the event log on SCIM lists',
    about:
      'Lists and searches have the header `Rollgate-Seq`: a client that has read all pages continues ' +
      'with `/events?after=` the value of the first page, and misses nothing.',
    option: '--scim-log-position',
  }),
  roles: toggle({
    title: 'SCIM roles',
    about:
      'Clients can list the roles of the tenant, with the number of users who have each, at `/Roles` ' +
      '(draft-ietf-scim-roles-entitlements-01).',
    option: '--scim-roles',
  }),
  profile: choice({
    title: 'SCIM strictness',
    about: 'Whether SCIM requests that others may understand differently are accepted.',
    option: '--scim-profile',
    values: {
      standard: [
        'Accept what identity providers send',
        'Unknown attributes are ignored, as RFC 7644 allows; a PATCH needs no path.',
      ],
      interop: [
        'Refuse what the interoperability profile forbids',
        'Unknown attributes and schemas, and a PATCH without a path, return 400 ' +
          '(draft-zollner-scim-interop-profile). Okta and Entra ID send such requests: for testing ' +
          'a client.',
      ],
    },
    default: 'standard',
  }),
  strictErrors: toggle({
    title: 'SCIM errors with the attributes of RFC 7644 only',
    about: 'SCIM error bodies have no `error`, `details` or `request_id`.',
    option: '--scim-strict-errors',
  }),
  maxRemovalsPerHour: count({
    title: 'SCIM removals per hour and API key',
    about:
      'How many users an API key may deactivate or delete, and members remove from groups, by SCIM ' +
      'within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator ' +
      'allows them.',
    option: '--scim-max-removals',
    min: 1,
    max: 1_000_000,
    whenNull: 'any number',
  }),
} as const;

type ValueOf<Of extends Setting> =
  Of extends Choice<infer Value> ? Value : Of extends Switch ? boolean : number | null;

export type RoomProvisioning = ValueOf<typeof ROOM_PROVISIONING>;

/** Settings of the SCIM interface for one tenant (decisions.md 8). */
export type ScimSettings = {
  readonly [Key in keyof typeof SCIM_SETTINGS]: ValueOf<(typeof SCIM_SETTINGS)[Key]>;
};

type SnakeCase<Text extends string> = Text extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Rest>}`
  : Text;

/** The settings by their names in the API. */
export type NamedScimSettings = {
  [Key in keyof ScimSettings as SnakeCase<Key>]: ScimSettings[Key];
};

/** The name in the API: `put_without_members`. */
const nameOf = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names in the API, with the key in `ScimSettings`. */
export const SCIM_SETTING_NAMES: readonly (readonly [
  name: keyof NamedScimSettings,
  key: keyof ScimSettings,
])[] = Object.keys(SCIM_SETTINGS).map((key) => [
  nameOf(key) as keyof NamedScimSettings,
  key as keyof ScimSettings,
]);

export const DEFAULT_SCIM_SETTINGS = Object.fromEntries(
  Object.entries(SCIM_SETTINGS).map(([key, setting]) => [key, setting.default]),
) as ScimSettings;

export const lowerFirst = (text: string): string =>
  /^[A-Z](?![A-Z])/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** One line: "a SCIM PUT of a group without members: remove all members, or keep the members". */
export const settingLine = (setting: Setting): string => {
  const title = lowerFirst(setting.title);
  if (setting.kind === 'switch') return title;
  if (setting.kind === 'count') return `${title}, or "none" for ${setting.whenNull}`;
  const titles = Object.values(setting.values).map(([one]) => lowerFirst(one));
  return `${title}: ${titles.join(', or ')}`;
};

/** The whole description, in Markdown. */
export const settingText = (setting: Setting): string => {
  if (setting.kind === 'switch') return `If true: ${lowerFirst(setting.about)}`;
  if (setting.kind === 'count') return `${setting.about} Null: ${setting.whenNull}.`;
  const values = Object.entries(setting.values).map(
    ([value, [title, about]]) => `\`${value}\`: ${lowerFirst(title)}. ${about}`,
  );
  return [setting.about, ...values].join(' ');
};
