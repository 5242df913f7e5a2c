import { type JsonObject, type JsonValue, valueAt, withValueAt } from '../kernel/json.js';

/**
 * The optional texts of a user, null where a user has none. Each is declared once: the schemas of REST,
 * the options and columns of the command line, the dashboard, exports, and the names in events and in
 * the provisioning log follow.
 */
export interface UserText {
  /** Where the profile has it, by the names of SCIM. */
  readonly path: readonly string[];
  /** Above a column. */
  readonly title: string;
  readonly about: string;
  /** Option of `rollgate user create` and `update`. */
  readonly option: string;
  /** After the user is created, it is changed by SCIM only (decisions.md 4). */
  readonly isFixed?: true;
}

/** By their names in the API. */
export const USER_TEXTS: Readonly<Record<string, UserText>> = {
  external_id: {
    path: ['externalId'],
    title: 'External ID',
    about: "The user's id in the client's system",
    option: '--external-id <id>',
    isFixed: true,
  },
};

/** Texts by their names in the API. */
export type Texts = Readonly<Record<string, string | null>>;

const TEXTS = Object.entries(USER_TEXTS);

/** Names in the API by paths in the profile, such as `enterprise.department`. */
export const TEXT_PATHS: ReadonlyMap<string, string> = new Map(
  TEXTS.map(([name, { path }]) => [path.join('.'), name]),
);

const textAt = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

export const textsOf = (profile: JsonObject): Texts =>
  Object.fromEntries(TEXTS.map(([name, { path }]) => [name, textAt(valueAt(profile, path))]));

/** The profile with these texts; null removes one. Others stay unchanged. */
export const withTexts = <Profile extends JsonObject>(profile: Profile, texts: Texts): Profile =>
  TEXTS.reduce<JsonObject>(
    (changed, [name, { path }]) =>
      texts[name] === undefined ? changed : withValueAt(changed, path, texts[name] ?? undefined),
    profile,
  ) as Profile;
