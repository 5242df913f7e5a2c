import type { JsonObject } from '../../src/plugin/api.js';
import type { RestSettings } from './settings.js';

/** How requests are authenticated: a setting, or a token for a form that a vendor's connector writes. */
export type Auth =
  | RestSettings['auth']
  | {
      readonly type: 'grant';
      readonly tokenUrl: string;
      readonly form: (now: Date) => Readonly<Record<string, string>>;
    };

/** What a vendor's connector adds to the settings. */
export interface Vendor {
  /** Its name in messages. */
  readonly name: string;
  /** What to do about a status. */
  readonly hints: Readonly<Record<number, string>>;
  /** What to do if no person has an id. */
  readonly idHint?: string;
  /** Makes the record of what was read of a person; a text says why there is none. */
  readonly record?: (data: JsonObject, now: Date) => JsonObject | string;
  /** The query for checks, if it is not that of a read. */
  readonly checkQuery?: RestSettings['people']['query'];
}

/** The API that is read: the settings of `rest`, by an operator or by a vendor's connector. */
export interface Api extends Omit<RestSettings, 'auth'> {
  readonly auth: Auth;
  readonly vendor?: Vendor;
}

/** How messages name the source. */
export const sourceOf = ({ vendor, baseUrl }: Pick<Api, 'vendor' | 'baseUrl'>): string =>
  vendor?.name ?? `The API at ${new URL(baseUrl).host}`;

/** Advice about settings of `rest`, which a vendor's connector does not have. */
export const advice = ({ vendor }: Pick<Api, 'vendor'>, text: string): string =>
  vendor ? '' : ` ${text}`;
