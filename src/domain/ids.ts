/**
 * Ids, one type for each thing that has one: passing a user's id where a tenant's is wanted does
 * not compile. All are UUIDs in lower case. Text becomes an id only here, at the edge.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type TenantId = Branded<'TenantId'>;
export type UserId = Branded<'UserId'>;
export type ApiKeyId = Branded<'ApiKeyId'>;
export type CommandId = Branded<'CommandId'>;
export type EventId = Branded<'EventId'>;
/** What a plugin keeps for itself, for example a webhook registration. */
export type RecordId = Branded<'RecordId'>;
/** One event owed to one key of a durable subscriber; receivers see it as `X-Service-Delivery`. */
export type DeliveryId = Branded<'DeliveryId'>;

export type AnyId = TenantId | UserId | ApiKeyId | CommandId | EventId | RecordId | DeliveryId;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const parserOf =
  <Id extends AnyId>() =>
  (text: string): Id | undefined =>
    UUID.test(text) ? (text as Id) : undefined;

/** The id in the text, or undefined where the text is none (then nothing can have that id). */
export const parseTenantId = parserOf<TenantId>();
export const parseUserId = parserOf<UserId>();
export const parseApiKeyId = parserOf<ApiKeyId>();
export const parseCommandId = parserOf<CommandId>();
export const parseEventId = parserOf<EventId>();
export const parseRecordId = parserOf<RecordId>();
export const parseDeliveryId = parserOf<DeliveryId>();
