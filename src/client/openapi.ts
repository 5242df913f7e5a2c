/** Generated from openapi.json by `npm run client`; do not edit. */

export interface paths {
  readonly "/v1/{tenantSlug}/scim/v2": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List users and groups over SCIM
     * @description Requires the scope `scim:read`.
     */
    readonly get: operations["listScimResources"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Users": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List users over SCIM
     * @description Requires the scope `scim:read`.
     */
    readonly get: operations["listScimUsers"];
    readonly put?: never;
    /**
     * Create a user over SCIM
     * @description Takes a seat if the user is active. Emits `user.created`.
     *
     *   Requires the scope `scim:write`.
     */
    readonly post: operations["createScimUser"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Users/.search": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Search users over SCIM with the query in the body
     * @description Requires the scope `scim:read`.
     */
    readonly post: operations["searchScimUsers"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Users/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a user over SCIM
     * @description Requires the scope `scim:read`.
     */
    readonly get: operations["getScimUser"];
    /**
     * Replace a user over SCIM
     * @description Requires the scope `scim:write`.
     */
    readonly put: operations["replaceScimUser"];
    readonly post?: never;
    /**
     * Delete a user over SCIM
     * @description Requires the scope `scim:write`.
     */
    readonly delete: operations["deleteScimUser"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a user over SCIM
     * @description Requires the scope `scim:write`.
     */
    readonly patch: operations["patchScimUser"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Groups": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List groups over SCIM
     * @description Requires the scope `scim:read`.
     */
    readonly get: operations["listScimGroups"];
    readonly put?: never;
    /**
     * Create a group over SCIM
     * @description Maps the room whose name equals `displayName`. Without such a room, a role mapping for that name creates a role-only group; otherwise 404 `ROOM_NOT_FOUND`.
     *
     *   Requires the scope `scim:write`.
     */
    readonly post: operations["createScimGroup"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Groups/.search": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Search groups over SCIM with the query in the body
     * @description Requires the scope `scim:read`.
     */
    readonly post: operations["searchScimGroups"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Groups/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a group over SCIM
     * @description Requires the scope `scim:read`.
     */
    readonly get: operations["getScimGroup"];
    /**
     * Replace a group over SCIM
     * @description Requires the scope `scim:write`.
     */
    readonly put: operations["replaceScimGroup"];
    readonly post?: never;
    /**
     * Delete a group over SCIM
     * @description Requires the scope `scim:write`.
     */
    readonly delete: operations["deleteScimGroup"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a group over SCIM
     * @description Returns 204; with `attributes` or `excludedAttributes`, 200 and the group.
     *
     *   Requires the scope `scim:write`.
     */
    readonly patch: operations["patchScimGroup"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/.search": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Search users and groups over SCIM with the query in the body
     * @description Requires the scope `scim:read`.
     */
    readonly post: operations["searchScimResources"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/ServiceProviderConfig": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the supported SCIM features and limits
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["getScimServiceProviderConfig"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Schemas": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the SCIM schemas
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["listScimSchemas"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Schemas/{urn}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a SCIM schema
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["getScimSchema"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/ResourceTypes": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the SCIM resource types
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["listScimResourceTypes"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/ResourceTypes/{name}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a SCIM resource type
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["getScimResourceType"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/scim/v2/Bulk": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Run several SCIM operations in one request
     * @description Counts as one request against the rate limit. Operations run in order; each has its own status in the response.
     *
     *   Requires the scope `scim:write`.
     */
    readonly post: operations["runScimBulk"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/me": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the API key in use
     * @description Requires a valid API key; no scope is needed.
     */
    readonly get: operations["getKey"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/usage": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get seat usage
     * @description Requires the scope `usage`.
     */
    readonly get: operations["getUsage"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/users": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List users
     * @description Oldest first. Filters are combined with AND.
     *
     *   Requires the scope `api:users:read`.
     */
    readonly get: operations["listUsers"];
    readonly put?: never;
    /**
     * Create a user
     * @description Emits `user.created`.
     *
     *   Requires the scope `api:users:write`.
     */
    readonly post: operations["createUser"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/users/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a user
     * @description Requires the scope `api:users:read`.
     */
    readonly get: operations["getUser"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Deactivate a user
     * @description The record is retained and the seat becomes available. Emits `user.deactivated`, unless the user was already deactivated.
     *
     *   Requires the scope `api:users:write`.
     */
    readonly delete: operations["deactivateUser"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a user's display name or active status
     * @description Emits `user.updated` if the display name changed, and `user.deactivated` or `user.reactivated` if the active status changed.
     *
     *   Requires the scope `api:users:write`.
     */
    readonly patch: operations["updateUser"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/rooms": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List rooms
     * @description Oldest first. Without `limit`, returns all rooms.
     *
     *   Requires the scope `api:rooms:read`.
     */
    readonly get: operations["listRooms"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/rooms/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a room
     * @description Includes its SCIM group mapping, if any.
     *
     *   Requires the scope `api:rooms:read`.
     */
    readonly get: operations["getRoom"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a room's SCIM group mapping
     * @description The room and its members stay. Emits `group.deleted`.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly delete: operations["unmapRoom"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a room's SCIM group mapping
     * @description If the room has no mapping, creates one (`display_name` defaults to the name of the room) and emits `group.created`; a body with only `external_id: null` is 404 `GROUP_NOT_FOUND` then. Changing a mapping emits `group.updated`. The room's own name does not change.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly patch: operations["mapRoom"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/rooms/{id}/members": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the members of a room
     * @description Ordered by user id. Without `limit`, returns all members.
     *
     *   Requires the scope `api:rooms:read`.
     */
    readonly get: operations["listRoomMembers"];
    /**
     * Replace all members of a room
     * @description Users in the body are added or updated; all other members are removed. Duplicate or unknown users are listed in `details`, and nothing is changed. Emits `room.member_added`, `room.member_updated` or `room.member_removed` per user. Unchanged members are not counted. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly put: operations["replaceRoomMembers"];
    /**
     * Add a user to a room
     * @description Emits `room.member_added`. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly post: operations["addRoomMember"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/rooms/{id}/members/{userId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a user from a room
     * @description Emits `room.member_removed`. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly delete: operations["removeRoomMember"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Change a member's transmit permission
     * @description Emits `room.member_updated` if the permission changes. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:rooms:write`.
     */
    readonly patch: operations["updateRoomMember"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List SMS lists
     * @description Oldest first. Filters are combined with AND.
     *
     *   Requires the scope `api:sms_lists:read`.
     */
    readonly get: operations["listSmsLists"];
    readonly put?: never;
    /**
     * Create an SMS list
     * @description Emits `sms_list.created`.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly post: operations["createSmsList"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an SMS list
     * @description Without its members. Its ETag changes whenever its members change.
     *
     *   Requires the scope `api:sms_lists:read`.
     */
    readonly get: operations["getSmsList"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an SMS list and its members
     * @description Emits `sms_list.deleted`.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly delete: operations["deleteSmsList"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update an SMS list's name, external id or validity window
     * @description Null clears a field. Emits `sms_list.updated` if anything changed.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly patch: operations["updateSmsList"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists/{id}/members": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the members of an SMS list
     * @description Oldest first.
     *
     *   Requires the scope `api:sms_lists:read`.
     */
    readonly get: operations["listSmsMembers"];
    /**
     * Replace all members of an SMS list
     * @description Members not in the body are removed; omitted fields are cleared. One invalid number rejects the whole request. When the change is complete, emits `sms_list.members_added` if any were added or updated, then `sms_list.members_removed` if any were removed. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly put: operations["replaceSmsMembers"];
    /**
     * Add or update members of an SMS list
     * @description Takes up to 1,000 members, identified by phone number; one invalid number rejects the whole request. For a number already on the list, omitted fields keep their value and null clears them. Emits one `sms_list.members_added`. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly post: operations["addSmsMembers"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists/{id}/recipients": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the recipients of an SMS list
     * @description Members who may receive messages at the time `at`: it is within the validity windows of both the list and the member. A window includes its start and excludes its end.
     *
     *   Requires the scope `api:sms_lists:read`.
     */
    readonly get: operations["listSmsRecipients"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists/{id}/members/{memberId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a member from an SMS list
     * @description Emits `sms_list.members_removed`. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly delete: operations["removeSmsMember"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/sms-lists/{id}/members/remove": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Remove numbers from an SMS list
     * @description Takes up to 1,000 numbers; numbers that are not on the list are ignored. Emits one `sms_list.members_removed` if any were removed. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the scope `api:sms_lists:write`.
     */
    readonly post: operations["removeSmsNumbers"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/jobs/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a job
     * @description A key without the scope of the request that started the job gets 404. Finished jobs are kept for a week.
     *
     *   Requires a valid API key; no scope is needed.
     */
    readonly get: operations["getOwnJob"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List webhook registrations
     * @description Oldest first. Without `limit`, all registrations are returned (at most 100).
     *
     *   Requires the scope `webhooks`.
     */
    readonly get: operations["listWebhooks"];
    readonly put?: never;
    /**
     * Register a webhook
     * @description Deliveries start with the next event. The secret is returned only in this response. A tenant may have 100 registrations.
     *
     *   Requires the scope `webhooks`.
     */
    readonly post: operations["createWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a webhook registration
     * @description Requires the scope `webhooks`.
     */
    readonly get: operations["getWebhook"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a webhook registration
     * @description Permanent. Pending deliveries to it are dropped.
     *
     *   Requires the scope `webhooks`.
     */
    readonly delete: operations["deleteWebhook"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update, disable or enable a webhook registration
     * @description While a registration is disabled, events are dropped: nothing is queued, nothing replayed, and pending deliveries and retries are dropped too. Once enabled again, it receives the events from then on. Pending deliveries are sent to the new `url` too; if it is on another server, each header must be set again, or removed with null.
     *
     *   Requires the scope `webhooks`.
     */
    readonly patch: operations["updateWebhook"];
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/rotate-secret": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replace the signing secret
     * @description Returns the new secret, only in this response. During the overlap both secrets sign: `webhook-signature` has a signature of each, `X-Service-Signature` that of the new one (`switch: now`) or of the old one (`after_overlap`), and the other is in `X-Service-Signature-Previous` or `-Next`. The response takes about a second; from then on every delivery is signed with both.
     *
     *   Requires the scope `webhooks`.
     */
    readonly post: operations["rotateWebhookSecret"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/deliveries": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List deliveries and their attempts
     * @description Newest event first. Delivered and dropped deliveries are kept for 7 days, failed ones for 30; `total` is counted up to 10000. An event in a large batch is listed shortly before it is sent.
     *
     *   Requires the scope `webhooks`.
     */
    readonly get: operations["listWebhookDeliveries"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/deliveries/{deliveryId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a delivery with its attempts
     * @description Requires the scope `webhooks`.
     */
    readonly get: operations["getWebhookDelivery"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Redeliver a delivery
     * @description Queues the delivery again, with the same id and the full retry schedule. If it is waiting for a retry, it is sent now; if it is being sent, it is sent again after that. A receiver that stores delivery ids may ignore it as a duplicate.
     *
     *   Requires the scope `webhooks`.
     */
    readonly post: operations["redeliverWebhookDelivery"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/recover": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Redeliver failed deliveries
     * @description Queues all deliveries that failed since then, in the background: oldest first, with the same ids, each with the full retry schedule. Events that were dropped while the registration was disabled are not included; read them with `GET /events`.
     *
     *   Requires the scope `webhooks`.
     */
    readonly post: operations["recoverWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/recoveries/{recoveryId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the progress of a recovery
     * @description A recovery can be read for 7 days after it ends.
     *
     *   Requires the scope `webhooks`.
     */
    readonly get: operations["getWebhookRecovery"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/webhooks/{id}/test": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send a test event
     * @description Posts one signed `webhook.test` event to the registered URL, without a retry and also while the registration is disabled, and returns the response. It sets `last_trigger_status`.
     *
     *   Requires the scope `webhooks`.
     */
    readonly post: operations["testWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/v1/{tenantSlug}/events": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the event log
     * @description The events that webhooks deliver, in order of `seq`. Continue from `next_after` to miss nothing: an event is returned only once all earlier ones are.
     *
     *   Requires the scope `webhooks`.
     */
    readonly get: operations["listEvents"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List connectors
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listConnectors"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a connector
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getConnector"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/check": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Check the source of a connector
     * @description Requires the admin token, or the role `operator`.
     */
    readonly post: operations["checkConnector"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/fields": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the fields of a source
     * @description For writing mappings. The source is asked each time.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listConnectorFields"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List runs
     * @description Newest first. Runs are kept for 90 days.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listConnectorRuns"];
    readonly put?: never;
    /**
     * Start a run, or only plan one
     * @description The run continues in the background; poll it.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["startConnectorRun"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a run and its progress
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getConnectorRun"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/plan": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List what a run plans or has done, record by record
     * @description Records that change nothing are only counted.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getConnectorPlan"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/approve": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Approve the plan of a held run
     * @description Applies exactly the plan with this digest, once. A plan can be approved for 24 hours, unless a newer run is in progress, has another plan, or has read the source since.
     *
     *   Requires the admin token, or the role `operator`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["approveConnectorRun"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/reject": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Reject the plan of a held run
     * @description Requires the admin token, or the role `operator`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["rejectConnectorRun"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/cancel": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Cancel a run in progress
     * @description What has begun ends, and nothing more begins: poll the run. Its message says what was done.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["cancelConnectorRun"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/quarantine": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List records in quarantine
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listQuarantinedRecords"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/quarantine/retry": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Try a record in quarantine again with the next run
     * @description Requires the admin token, or the role `operator`.
     */
    readonly post: operations["retryQuarantinedRecord"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/quarantine/ignore": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Ignore a record in quarantine until it changes
     * @description Requires the admin token, or the role `operator`.
     */
    readonly post: operations["ignoreQuarantinedRecord"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/pause": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Pause the schedule of a connector, and cancel its run in progress
     * @description Requires the admin token, or the role `operator`.
     */
    readonly post: operations["pauseConnector"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/connectors/{connector}/resume": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Resume a connector that is paused or in quarantine
     * @description Requires the admin token, or the role `operator`.
     */
    readonly post: operations["resumeConnector"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List tenants
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenants"];
    readonly put?: never;
    /**
     * Create a tenant
     * @description Requires the admin token, or the role `owner`.
     */
    readonly post: operations["createTenant"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a tenant
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenant"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a tenant
     * @description Cannot be undone. Its API keys stop working within 1 s; its data is purged in the background.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly delete: operations["deleteTenant"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a tenant's settings
     * @description A `seat_capacity` below current use deactivates no users; it only prevents new ones.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly patch: operations["updateTenant"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/overview": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an overview of a tenant
     * @description Its counts, and what needs attention now. Costs the same for a tenant of any size.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantOverview"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/activity": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Count commands and events over time
     * @description From the provisioning log, in steps of 5 minutes (up to 6 hours), an hour (up to 48) or 4 hours. Each outcome is counted up to 100000 per hour.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantActivity"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/search": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Search a tenant
     * @description Finds users, rooms, SCIM groups, SMS lists, role mappings, API keys and objects of plugins by the beginning of any word of their name, ignoring case, or by id; users also by user name, e-mail, employee number and external id, commands by id and request id. Several words may be in any order. At most 20 results, users first.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["searchTenant"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/users/{id}/rooms": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the rooms of a user
     * @description By name; of the user's first 1,000 rooms and groups.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listRoomsOfUser"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/api-keys": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List API keys
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listApiKeys"];
    readonly put?: never;
    /**
     * Create an API key
     * @description Store the key: only this response contains it. Rollgate keeps a hash.
     *
     *   Requires the admin token, or the role `admin`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["createApiKey"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/api-keys/{keyId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an API key
     * @description Takes effect within 1 s on all instances.
     *
     *   Requires the admin token, or the role `admin`, and in a session a sign-in within the last 15 minutes.
     */
    readonly delete: operations["deleteApiKey"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/api-keys/{keyId}/allow-removals": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Lift the limit of removals of an API key
     * @description For an hour, the key may deactivate and delete any number of users, and remove any number of members from groups. After that, the tenant's `scim.max_removals_per_hour` applies again.
     *
     *   Requires the admin token, or the role `operator`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["allowRemovals"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/rooms": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List a tenant's rooms
     * @description Oldest first.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantRooms"];
    readonly put?: never;
    /**
     * Create a room
     * @description Requires the admin token, or the role `admin`.
     */
    readonly post: operations["createRoom"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/rooms/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a room
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantRoom"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a room
     * @description Removes the memberships (`room.member_removed` for each) and the SCIM group (`group.deleted`). A large room is completed by a job.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly delete: operations["deleteRoom"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Rename a room
     * @description The display name of its SCIM group mapping does not change.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly patch: operations["renameRoom"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/groups": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List a tenant's SCIM groups
     * @description Oldest first. Filters are combined with AND.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantGroups"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/groups/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a SCIM group
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantGroup"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/groups/{id}/members": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the members of a SCIM group
     * @description Ordered by user id. `tx_permission` has no effect in a role-only group.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantGroupMembers"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/role-mappings": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List a tenant's role mappings
     * @description Oldest first.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listRoleMappings"];
    readonly put?: never;
    /**
     * Map a SCIM group to a role
     * @description Emits `user.updated` for each user whose role changes; many users are updated by a job.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly post: operations["createRoleMapping"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/role-mappings/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a role mapping
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getRoleMapping"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a role mapping
     * @description The group remains, without a role. Emits `user.updated` for each user whose role changes; many users are updated by a job.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly delete: operations["deleteRoleMapping"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a role mapping
     * @description Emits `user.updated` for each user whose role changes; many users are updated by a job.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly patch: operations["updateRoleMapping"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/role-mappings/test": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Test role mappings
     * @description Shows the role and the rooms of a user in these groups, and which mapping decides. Groups need not exist. Changes nothing. To see which users a change of a mapping affects, send the change with `Prefer: dry-run`.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly post: operations["testRoleMappings"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/jobs": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List a tenant's jobs
     * @description Newest first. Finished jobs are kept for a week.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listJobs"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/jobs/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a job
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getJob"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/commands": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the entries of a tenant's provisioning log
     * @description Newest first. Filters are combined with AND. A page may have fewer entries than `limit`, even none, while `next` is set: each request searches a bounded part of the log. `subject`, `affected`, `actor` and `request_id` use an index.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listCommands"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/commands/export": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Export the provisioning log
     * @description All entries that match, newest first, as CSV (RFC 4180) or with an entry per line as JSON. It is read and sent page by page, so it may be of any length. In CSV, an apostrophe precedes text that a spreadsheet would run as a formula. If reading fails midway, the connection breaks.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["exportCommands"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/commands/{commandId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an entry of the provisioning log
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getCommand"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/live": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Follow the provisioning log
     * @description Server-sent events, from all gateways, within a second: `command` with an entry of the log, and `heartbeat` at the start and every 15 s. A client that sends `Last-Event-ID` continues there; without it, the stream starts now. Each entry is sent once; those of commands that changed nothing may be out of order. A gateway has at most 100 of these streams, 25 of one tenant and 10 of one operator.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["streamCommands"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/request-capture": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get whether SCIM requests are captured
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getRequestCapture"];
    /**
     * Start or stop to capture SCIM requests
     * @description All gateways follow within a second. It ends by itself after at most 24 hours. Requests that were captured are kept for 24 hours, also after it has ended.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly put: operations["setRequestCapture"];
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/requests": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the captured SCIM requests of a tenant
     * @description Newest first. Requests appear within a second, and are kept for 24 hours: the newest 1,000 of a tenant, and of these 50 MB.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listCapturedRequests"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/requests/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a captured SCIM request with its response
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getCapturedRequest"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/requests/{id}/replay": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replay a captured SCIM request as a dry run
     * @description Shows what the request would do now; changes nothing. It runs as the operator, without the scopes and limits of the API key. Only requests that change something can be replayed, and only if their body was kept completely and nothing was masked that decides what they do. Passwords and `phoneNumbers` do not.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["replayCapturedRequest"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/events": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the event log
     * @description The events of the tenant, in the order in which they happened. Keep `next_after` and you miss nothing: a place in the log is shown only when every earlier one is.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantEvents"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/explain": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Explain a role or a membership
     * @description Explains why a user has a role, or is or is not in a room: the facts that decide it, in order, the last commands that affected it, and what would change the result. Read-only.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["explain"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/plugins": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List plugins with state, health, lag and last failure
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listPlugins"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/system": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the state of the gateways and the database
     * @description With checks that name the action to take. `rollgate doctor` checks more, such as files and indexes, and works while no gateway runs. The result is up to 2 s old.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getSystem"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/admin-token/rotate": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replace the admin token
     * @description Generates a new admin token. The old one stops working immediately on this gateway, and within 1 s on all other gateways of the database. The new one is stored in the data folder of the gateway that handles the request.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["rotateAdminToken"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/sign-in": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the ways to sign in
     * @description Requires no credentials.
     */
    readonly get: operations["getSignIn"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/session": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the session
     * @description Who is signed in, and the token that writes need.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getSession"];
    readonly put?: never;
    /**
     * Sign in
     * @description Exchanges the admin token or the secret of a link for a session, in a cookie that scripts cannot read. By default, a session ends after 30 minutes without a request, and after 12 hours.
     *
     *   Requires no credentials.
     */
    readonly post: operations["signIn"];
    /**
     * Sign out
     * @description Ends the session on all gateways within 1 s.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly delete: operations["signOut"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/setup-session": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Open a setup link
     * @description For the administrator of a customer: a session that shows the setup of the tenant's identity provider, may make one API key for it, and nothing else. The link works until it expires.
     *
     *   Requires no credentials.
     */
    readonly post: operations["openSetupLink"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/oidc/start": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Sign in with the OpenID provider
     * @description For browsers: redirects to the provider.
     *
     *   Requires no credentials.
     */
    readonly get: operations["startOpenIdSignIn"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/oidc/callback": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Return from the OpenID provider
     * @description For browsers: begins a session and redirects to the dashboard, or to its sign-in page with `error`: `SIGN_IN_EXPIRED`, `PROVIDER_REFUSED`, `PROVIDER_FAILED`, `NO_RECENT_SIGN_IN`, `NO_ROLE` or `OPERATOR_DISABLED`.
     *
     *   Requires no credentials.
     */
    readonly get: operations["finishOpenIdSignIn"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/setup-links": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Create a setup link
     * @description Shows the administrator of the customer how to connect their identity provider, and lets them make one API key for it. It shows nothing else, and works until it expires.
     *
     *   Requires the admin token, or the role `admin`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["createSetupLink"];
    /**
     * End all setup links of a tenant
     * @description They and their sessions stop working within 1 s on all gateways. API keys made with them stay valid.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly delete: operations["endSetupLinks"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/setup/key": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Create the API key of a setup link
     * @description For sessions of setup links: a key for SCIM. It replaces the key that was made with the same link before, which stops working. Store the key: only this response contains it.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly post: operations["createSetupKey"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/setup": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the progress of connecting an identity provider
     * @description The steps from the API key to the first deactivation, with what happened or what to do. Read it every few seconds: a first request appears within 2 s. A setup link sees its own key only.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getSetupProgress"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/operators": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List operators
     * @description Requires the admin token, or the role `owner`.
     */
    readonly get: operations["listOperators"];
    readonly put?: never;
    /**
     * Create an operator
     * @description They sign in with a link; see `POST /operators/{id}/link`.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["createOperator"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/operators/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an operator
     * @description Requires the admin token, or the role `owner`.
     */
    readonly get: operations["getOperator"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an operator
     * @description Ends their sessions within 1 s on all gateways. The provisioning log keeps their name. An operator of the OpenID provider is created again at the next sign-in; disable them instead.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly delete: operations["deleteOperator"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update an operator
     * @description Takes effect within 1 s on all gateways, also in their sessions.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly patch: operations["updateOperator"];
    readonly trace?: never;
  };
  readonly "/admin/v1/operators/{id}/link": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Create a sign-in link
     * @description Signs the operator in once, within 24 hours. It replaces their previous link. Send it to them only.
     *
     *   Requires the admin token, or the role `owner`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["createSignInLink"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/operators/{id}/sessions": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List an operator's sessions
     * @description Operators may list their own; owners also those of others.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listOperatorSessions"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/operators/{id}/sessions/{sessionId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * End an operator's session
     * @description Takes effect within 1 s on all gateways. Operators may end their own; owners also those of others.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly delete: operations["endOperatorSession"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/users": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List users
     * @description Oldest first. Filters are combined with AND.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantUsers"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/users/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a user
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantUser"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Deactivate a user
     * @description The record is retained and the seat becomes available. Emits `user.deactivated`, unless the user was already deactivated.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly delete: operations["deactivateTenantUser"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a user's display name or active status
     * @description Emits `user.updated` if the display name changed, and `user.deactivated` or `user.reactivated` if the active status changed.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly patch: operations["updateTenantUser"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/rooms/{id}/mapping": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a room's SCIM group mapping
     * @description The room and its members stay. Emits `group.deleted`.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly delete: operations["unmapTenantRoom"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update a room's SCIM group mapping
     * @description If the room has no mapping, creates one (`display_name` defaults to the name of the room) and emits `group.created`; a body with only `external_id: null` is 404 `GROUP_NOT_FOUND` then. Changing a mapping emits `group.updated`. The room's own name does not change.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly patch: operations["mapTenantRoom"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/rooms/{id}/members": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the members of a room
     * @description Ordered by user id. Without `limit`, returns all members.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantRoomMembers"];
    /**
     * Replace all members of a room
     * @description Users in the body are added or updated; all other members are removed. Duplicate or unknown users are listed in `details`, and nothing is changed. Emits `room.member_added`, `room.member_updated` or `room.member_removed` per user. Unchanged members are not counted. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly put: operations["replaceTenantRoomMembers"];
    /**
     * Add a user to a room
     * @description Emits `room.member_added`. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["addTenantRoomMember"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a user from a room
     * @description Emits `room.member_removed`. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly delete: operations["removeTenantRoomMember"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Change a member's transmit permission
     * @description Emits `room.member_updated` if the permission changes. If-Match takes the room's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly patch: operations["updateTenantRoomMember"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List SMS lists
     * @description Oldest first. Filters are combined with AND.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantSmsLists"];
    readonly put?: never;
    /**
     * Create an SMS list
     * @description Emits `sms_list.created`.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["createTenantSmsList"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an SMS list
     * @description Without its members. Its ETag changes whenever its members change.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantSmsList"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an SMS list and its members
     * @description Emits `sms_list.deleted`.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly delete: operations["deleteTenantSmsList"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update an SMS list's name, external id or validity window
     * @description Null clears a field. Emits `sms_list.updated` if anything changed.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly patch: operations["updateTenantSmsList"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists/{id}/members": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the members of an SMS list
     * @description Oldest first.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantSmsMembers"];
    /**
     * Replace all members of an SMS list
     * @description Members not in the body are removed; omitted fields are cleared. One invalid number rejects the whole request. When the change is complete, emits `sms_list.members_added` if any were added or updated, then `sms_list.members_removed` if any were removed. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly put: operations["replaceTenantSmsMembers"];
    /**
     * Add or update members of an SMS list
     * @description Takes up to 1,000 members, identified by phone number; one invalid number rejects the whole request. For a number already on the list, omitted fields keep their value and null clears them. Emits one `sms_list.members_added`. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["addTenantSmsMembers"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists/{id}/recipients": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the recipients of an SMS list
     * @description Members who may receive messages at the time `at`: it is within the validity windows of both the list and the member. A window includes its start and excludes its end.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantSmsRecipients"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists/{id}/members/{memberId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Remove a member from an SMS list
     * @description Emits `sms_list.members_removed`. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly delete: operations["removeTenantSmsMember"];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/sms-lists/{id}/members/remove": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Remove numbers from an SMS list
     * @description Takes up to 1,000 numbers; numbers that are not on the list are ignored. Emits one `sms_list.members_removed` if any were removed. Events contain counts, never phone numbers. If-Match takes the list's ETag, which changes whenever its members change.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["removeTenantSmsNumbers"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List webhook registrations
     * @description Oldest first. Without `limit`, all registrations are returned (at most 100).
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantWebhooks"];
    readonly put?: never;
    /**
     * Register a webhook
     * @description Deliveries start with the next event. The secret is returned only in this response. A tenant may have 100 registrations.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly post: operations["createTenantWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a webhook registration
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantWebhook"];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a webhook registration
     * @description Permanent. Pending deliveries to it are dropped.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly delete: operations["deleteTenantWebhook"];
    readonly options?: never;
    readonly head?: never;
    /**
     * Update, disable or enable a webhook registration
     * @description While a registration is disabled, events are dropped: nothing is queued, nothing replayed, and pending deliveries and retries are dropped too. Once enabled again, it receives the events from then on. Pending deliveries are sent to the new `url` too; if it is on another server, each header must be set again, or removed with null.
     *
     *   Requires the admin token, or the role `admin`.
     */
    readonly patch: operations["updateTenantWebhook"];
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/rotate-secret": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replace the signing secret
     * @description Returns the new secret, only in this response. During the overlap both secrets sign: `webhook-signature` has a signature of each, `X-Service-Signature` that of the new one (`switch: now`) or of the old one (`after_overlap`), and the other is in `X-Service-Signature-Previous` or `-Next`. The response takes about a second; from then on every delivery is signed with both.
     *
     *   Requires the admin token, or the role `admin`, and in a session a sign-in within the last 15 minutes.
     */
    readonly post: operations["rotateTenantWebhookSecret"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/deliveries": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List deliveries and their attempts
     * @description Newest event first. Delivered and dropped deliveries are kept for 7 days, failed ones for 30; `total` is counted up to 10000. An event in a large batch is listed shortly before it is sent.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["listTenantWebhookDeliveries"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get a delivery with its attempts
     * @description Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantWebhookDelivery"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Redeliver a delivery
     * @description Queues the delivery again, with the same id and the full retry schedule. If it is waiting for a retry, it is sent now; if it is being sent, it is sent again after that. A receiver that stores delivery ids may ignore it as a duplicate.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["redeliverTenantWebhookDelivery"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/recover": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Redeliver failed deliveries
     * @description Queues all deliveries that failed since then, in the background: oldest first, with the same ids, each with the full retry schedule. Events that were dropped while the registration was disabled are not included; read them with `GET /events`.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["recoverTenantWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/recoveries/{recoveryId}": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the progress of a recovery
     * @description A recovery can be read for 7 days after it ends.
     *
     *   Requires the admin token, or the role `auditor`.
     */
    readonly get: operations["getTenantWebhookRecovery"];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "/admin/v1/tenants/{slug}/webhooks/{id}/test": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send a test event
     * @description Posts one signed `webhook.test` event to the registered URL, without a retry and also while the registration is disabled, and returns the response. It sets `last_trigger_status`.
     *
     *   Requires the admin token, or the role `operator`.
     */
    readonly post: operations["testTenantWebhook"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export interface webhooks {
  readonly "user.created": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was provisioned */
    readonly post: operations["onUserCreated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "user.updated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user's attributes or role changed */
    readonly post: operations["onUserUpdated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "user.deactivated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was deactivated */
    readonly post: operations["onUserDeactivated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "user.reactivated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A deactivated user was reactivated */
    readonly post: operations["onUserReactivated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "user.deleted": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was permanently deleted */
    readonly post: operations["onUserDeleted"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "room.member_added": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was added to a room */
    readonly post: operations["onRoomMemberAdded"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "room.member_removed": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was removed from a room */
    readonly post: operations["onRoomMemberRemoved"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "room.member_updated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A member's transmit permission changed */
    readonly post: operations["onRoomMemberUpdated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "group.created": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A SCIM group was created */
    readonly post: operations["onGroupCreated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "group.updated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** The name or external id of a SCIM group changed */
    readonly post: operations["onGroupUpdated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "group.deleted": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A SCIM group was deleted */
    readonly post: operations["onGroupDeleted"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "group.member_added": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was added to a group without a room */
    readonly post: operations["onGroupMemberAdded"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "group.member_removed": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** A user was removed from a group without a room */
    readonly post: operations["onGroupMemberRemoved"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "sms_list.created": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** An SMS list was created */
    readonly post: operations["onSmsListCreated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "sms_list.updated": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** An SMS list was changed */
    readonly post: operations["onSmsListUpdated"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "sms_list.deleted": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** An SMS list and its members were deleted */
    readonly post: operations["onSmsListDeleted"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "sms_list.members_added": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Members were added to an SMS list or updated */
    readonly post: operations["onSmsListMembersAdded"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly "sms_list.members_removed": {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Members were removed from an SMS list */
    readonly post: operations["onSmsListMembersRemoved"];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export interface components {
  schemas: {
    readonly __schema0: unknown;
    readonly __schema1: unknown;
    readonly Accepted: {
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedMemberSync: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly room_id: string;
      readonly members_added: number;
      /** @description Members with a changed transmit permission. */
      readonly members_updated: number;
      readonly members_removed: number;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedRequestCapture: {
      readonly enabled: boolean;
      readonly until: string | null;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedRoleMapping: {
      /**
       * Format: uuid
       * @description The mapping's id.
       */
      readonly id: string;
      /** @description Display name of the SCIM group, which may not exist yet. Unique, ignoring case. */
      readonly group_display_name: string;
      /** @description Role of the members of the group. */
      readonly role: string;
      /** @description If false, the mapping has no effect. */
      readonly apply_on_scim_provisioning: boolean;
      /** @description If several groups match, the lowest priority number wins. */
      readonly priority: number;
      /** @constant */
      readonly source: "scim";
      /**
       * Format: date-time
       * @description When the mapping was created.
       */
      readonly created_at: string;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedRoom: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly id: string;
      /** @description Set by an operator. Unique in the tenant, ignoring case. */
      readonly name: string;
      /** @description Display name of the SCIM group mapping; null without a mapping. */
      readonly display_name: string | null;
      /** @description External id of the SCIM group mapping, or null. */
      readonly external_id: string | null;
      readonly member_count: number;
      /**
       * Format: date-time
       * @description When the room was created.
       */
      readonly created_at: string;
      /** @description Role that a role mapping gives to the members, or null. */
      readonly role: string | null;
      /** @description Id of the SCIM group; null without a mapping. */
      readonly group_id: string | null;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedSmsRemoval: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      readonly members_removed: number;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedSmsReplacement: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      /** @description New numbers on the list. */
      readonly members_added: number;
      /** @description Members with a changed display name or validity window. */
      readonly members_updated: number;
      readonly members_removed: number;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedSmsUpsert: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      /** @description New numbers on the list. */
      readonly members_added: number;
      /** @description Members with a changed display name or validity window. */
      readonly members_updated: number;
      readonly job: components["schemas"]["JobProgress"];
    };
    readonly AcceptedTenant: {
      /**
       * Format: uuid
       * @description The tenant's id.
       */
      readonly id: string;
      /** @description Part of the tenant's base URL; cannot be changed. */
      readonly slug: string;
      readonly name: string;
      /** @description Maximum number of active users; null: no limit. */
      readonly seat_capacity: number | null;
      /** @description Role of users without a role mapping. */
      readonly default_role: string;
      /**
       * @description What creating a SCIM group without a matching room does: `manual` returns ROOM_NOT_FOUND, `automatic` creates the room.
       * @enum {string}
       */
      readonly room_provisioning: "manual" | "automatic";
      /** @description Country of phone numbers without a country code, on SMS lists. Null: a country code is required. */
      readonly default_country: string | null;
      /** @description SCIM settings. */
      readonly scim: {
        /**
         * @description What a SCIM PUT of a group without `members` does: remove all members, or keep them.
         * @enum {string}
         */
        readonly put_without_members: "clear" | "keep";
        /** @description If true, SCIM error bodies have only the attributes of RFC 7644: no `error`, `details` or `request_id`. */
        readonly strict_errors: boolean;
        /** @description How many users an API key may deactivate or delete, and members remove from groups, by SCIM within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator allows them. Null: any number. */
        readonly max_removals_per_hour: number | null;
      };
      /**
       * Format: date-time
       * @description When the tenant was created.
       */
      readonly created_at: string;
      readonly job: components["schemas"]["JobProgress"];
    };
    /**
     * @example {
     *     "from": "2026-01-31T11:00:00.000Z",
     *     "until": "2026-01-31T12:00:00.000Z",
     *     "step_seconds": 3600,
     *     "points": [
     *     {
     *       "at": "2026-01-31T11:00:00.000Z",
     *       "applied": 120,
     *       "unchanged": 30,
     *       "refused": 2,
     *       "failed": 0,
     *       "events": 131
     *     }
     *     ]
     *   }
     */
    readonly Activity: {
      /**
       * Format: date-time
       * @description Start of the first step.
       */
      readonly from: string;
      /**
       * Format: date-time
       * @description End of the last step, which may not be over.
       */
      readonly until: string;
      readonly step_seconds: number;
      readonly points: readonly {
        /**
         * Format: date-time
         * @description Start of the step.
         */
        readonly at: string;
        readonly applied: number;
        /** @description Commands that changed nothing (outcome `no-op`). */
        readonly unchanged: number;
        readonly refused: number;
        readonly failed: number;
        readonly events: number;
      }[];
    };
    readonly AllowedRemovals: {
      /**
       * Format: uuid
       * @description The key's id.
       */
      readonly key_id: string;
      /**
       * Format: date-time
       * @description When the limit applies again.
       */
      readonly allowed_until: string;
    };
    /**
     * @example {
     *     "key_id": "0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59",
     *     "prefix": "rg_4fJx09Qa",
     *     "description": "Okta",
     *     "scopes": [
     *     "scim:read",
     *     "scim:write"
     *     ],
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "last_used_at": null
     *   }
     */
    readonly ApiKey: {
      /**
       * Format: uuid
       * @description The key's id.
       */
      readonly key_id: string;
      /** @description First characters of the key, to recognise it by. */
      readonly prefix: string;
      /** @description Label of the key. */
      readonly description: string;
      readonly scopes: readonly ("scim:read" | "scim:write" | "api:users:read" | "api:users:write" | "api:rooms:read" | "api:rooms:write" | "api:sms_lists:read" | "api:sms_lists:write" | "usage" | "webhooks")[];
      /**
       * Format: date-time
       * @description When the key was created.
       */
      readonly created_at: string;
      readonly last_used_at: string | null;
    };
    readonly ApiKeyList: {
      readonly api_keys: readonly components["schemas"]["ApiKey"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    readonly Attention: {
      /** @enum {string} */
      readonly severity: "error" | "warning" | "info";
      /** @description Stable, for programs. */
      readonly code: string;
      readonly message: string;
      /** @description What to do. */
      readonly action: string;
      /** @description Page of the dashboard, relative to the tenant's; null if there is none. */
      readonly link: string | null;
    };
    readonly CapturedRequest: {
      /**
       * Format: uuid
       * @description The captured request's id.
       */
      readonly id: string;
      /**
       * Format: date-time
       * @description When it was received.
       */
      readonly at: string;
      readonly method: string;
      /** @description With the query; secrets and phone numbers are masked. */
      readonly path: string;
      /** @description Of the response; 499 if the client disconnected before there was one. */
      readonly status: number;
      /**
       * Format: uuid
       * @description The API key it was sent with.
       */
      readonly key_id: string;
      readonly user_agent: string | null;
      readonly duration_ms: number;
      /** @description Also in the provisioning log. */
      readonly request_id: string;
      /** @description Length of the request's body. */
      readonly bytes: number;
      readonly request: {
        /** @description By lower-case name; values that may be secrets are masked. */
        readonly headers: {
          readonly [key: string]: string;
        };
        /** @description Without secrets and phone numbers. Null: there was none, it was not read, or it is no JSON and may contain a secret. */
        readonly body: string | null;
        /** @description The body was longer than 64 KiB; this is its start. */
        readonly is_cut: boolean;
      };
      readonly response: {
        /** @description By lower-case name; values that may be secrets are masked. */
        readonly headers: {
          readonly [key: string]: string;
        };
        /** @description Without secrets and phone numbers. Null: there was none, it was not read, or it is no JSON and may contain a secret. */
        readonly body: string | null;
        /** @description The body was longer than 64 KiB; this is its start. */
        readonly is_cut: boolean;
      };
      /** @description Why it cannot be replayed; null if it may be. */
      readonly obstacle: string | null;
    };
    readonly CapturedRequestList: {
      readonly requests: readonly {
        /**
         * Format: uuid
         * @description The captured request's id.
         */
        readonly id: string;
        /**
         * Format: date-time
         * @description When it was received.
         */
        readonly at: string;
        readonly method: string;
        /** @description With the query; secrets and phone numbers are masked. */
        readonly path: string;
        /** @description Of the response; 499 if the client disconnected before there was one. */
        readonly status: number;
        /**
         * Format: uuid
         * @description The API key it was sent with.
         */
        readonly key_id: string;
        readonly user_agent: string | null;
        readonly duration_ms: number;
        /** @description Also in the provisioning log. */
        readonly request_id: string;
        /** @description Length of the request's body. */
        readonly bytes: number;
      }[];
      /** @description `cursor` of the next page; null on the last page. */
      readonly next: string | null;
    };
    /**
     * @example {
     *     "id": "7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
     *     "at": "2026-01-31T12:00:00.000Z",
     *     "actor": {
     *     "kind": "api-key",
     *     "id": "0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11",
     *     "name": "Okta"
     *     },
     *     "source": "scim",
     *     "type": "user.patch",
     *     "subject": {
     *     "kind": "user",
     *     "id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *     "name": "ada@example.com"
     *     },
     *     "affected": [],
     *     "affected_count": 0,
     *     "changes": [
     *     {
     *       "path": "active",
     *       "before": true,
     *       "after": false
     *     }
     *     ],
     *     "change_count": 1,
     *     "outcome": "applied",
     *     "error": null,
     *     "message": null,
     *     "events": {
     *     "first_seq": 41,
     *     "last_seq": 41
     *     },
     *     "deliveries": 2,
     *     "duration_ms": 7,
     *     "request_id": "b3f0c2d1a9e84c57"
     *   }
     */
    readonly Command: {
      /**
       * Format: uuid
       * @description The command's id.
       */
      readonly id: string;
      /**
       * Format: date-time
       * @description When the command was decided.
       */
      readonly at: string;
      readonly actor: {
        /** @enum {string} */
        readonly kind: "api-key" | "operator" | "connector" | "system";
        /** @description Id of the API key or the operator; null for other actors. */
        readonly id: string | null;
        /** @description Label of the API key at that time, or name of the actor. */
        readonly name: string | null;
      };
      /**
       * @description Interface used.
       * @enum {string}
       */
      readonly source: "scim" | "rest" | "admin" | "cli" | "dashboard" | "connector" | "system";
      /** @enum {string} */
      readonly type: "user.create" | "user.replace" | "user.patch" | "user.update" | "user.deactivate" | "user.delete" | "room.create" | "room.rename" | "room.delete" | "room.map" | "room.unmap" | "member.add" | "member.update" | "member.remove" | "member.sync" | "group.create" | "group.change" | "group.delete" | "role-mapping.create" | "role-mapping.update" | "role-mapping.delete" | "sms-list.create" | "sms-list.update" | "sms-list.delete" | "sms-member.upsert" | "sms-member.replace" | "sms-member.remove" | "sms-member.remove-by-number" | "sms-member.sweep" | "job.step" | "tenant.create" | "tenant.update" | "tenant.delete" | "api-key.create" | "api-key.delete" | "api-key.allow-removals" | "plugin.change";
      /** @description The object that the command is about. */
      readonly subject: components["schemas"]["LoggedObject"] | null;
      /** @description Other objects that changed: the first 20, users last. */
      readonly affected: readonly components["schemas"]["LoggedObject"][];
      /** @description Number of other objects that changed. */
      readonly affected_count: number;
      /** @description Changed values: the first 50. */
      readonly changes: readonly components["schemas"]["LoggedChange"][];
      /** @description Number of changed values. */
      readonly change_count: number;
      /** @enum {string} */
      readonly outcome: "applied" | "no-op" | "refused" | "failed";
      /** @description Error code, if refused or failed. */
      readonly error: string | null;
      /** @description Error message, without personal data. */
      readonly message: string | null;
      /** @description Sequence numbers of its events: `GET …/events?after=<first_seq − 1>` returns them. */
      readonly events: {
        readonly first_seq: number;
        readonly last_seq: number;
      } | null;
      /** @description Number of deliveries of its events by plugins. */
      readonly deliveries: number;
      readonly duration_ms: number;
      readonly request_id: string;
    };
    readonly CommandList: {
      readonly commands: readonly components["schemas"]["Command"][];
      /** @description `cursor` of the next page; null on the last page. */
      readonly next: string | null;
    };
    /**
     * @example {
     *     "name": "bamboo-eu",
     *     "use": "bamboohr",
     *     "title": "BambooHR",
     *     "state": "ready",
     *     "message": null,
     *     "is_paused": false,
     *     "held_run": null,
     *     "open_run": null,
     *     "tried_against": "description",
     *     "has_deltas": true,
     *     "last_success_at": "2026-11-22T03:17:40.000Z",
     *     "last_run": "run-2d1zlmkzi80-b2fbbf",
     *     "last_run_state": "done",
     *     "next_full_at": "2026-11-23T03:17:00.000Z",
     *     "next_delta_at": "2026-11-22T10:15:00.000Z",
     *     "quarantined_records": 0
     *   }
     */
    readonly Connector: {
      /** @description The key of its section in the configuration. */
      readonly name: string;
      /** @description The name of the connector; null if it cannot be used. */
      readonly use: string | null;
      readonly title: string;
      /**
       * @description `held`: a plan waits for approval. `quarantined`: most records failed.
       * @enum {string}
       */
      readonly state: "ready" | "running" | "held" | "paused" | "quarantined" | "disabled" | "unusable";
      /** @description Why it is in this state. */
      readonly message: string | null;
      /** @description Whether its schedule is paused, whatever its state. */
      readonly is_paused: boolean;
      /** @description Id of the newest run that waits for approval. */
      readonly held_run: string | null;
      /** @description Id of the run in progress. */
      readonly open_run: string | null;
      /** @description `server`: tested with the real software. `description`: tested with servers built from the vendor's published description, never with the vendor's service. */
      readonly tried_against: ("server" | "description") | null;
      readonly has_deltas: boolean;
      readonly last_success_at: string | null;
      /** @description Id of the newest run. */
      readonly last_run: string | null;
      readonly last_run_state: ("queued" | "reading" | "planning" | "planned" | "held" | "approved" | "applying" | "done" | "failed" | "rejected" | "expired" | "superseded" | "cancelled") | null;
      readonly next_full_at: string | null;
      readonly next_delta_at: string | null;
      /** @description Up to 1,000. */
      readonly quarantined_records: number;
    };
    readonly ConnectorCheck: {
      readonly ok: boolean;
      /** @description Why not: config, auth, permission … */
      readonly kind: string | null;
      readonly message: string;
    };
    readonly ConnectorFields: {
      readonly fields: readonly {
        readonly path: string;
        readonly title: string | null;
        readonly type: string | null;
      }[];
    };
    readonly ConnectorList: {
      readonly connectors: readonly components["schemas"]["Connector"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    readonly ConnectorPlan: {
      readonly items: readonly components["schemas"]["ConnectorPlanItem"][];
      /** @description Pass it as `after`; null: the last page. */
      readonly next: string | null;
    };
    /**
     * @example {
     *     "index": 0,
     *     "record": "4711",
     *     "kind": "update",
     *     "user_id": "3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f",
     *     "name": "Ada Lovelace",
     *     "why": "The source reports them.",
     *     "changes": [
     *     {
     *       "attribute": "title",
     *       "before": "Driver",
     *       "after": "Dispatcher"
     *     }
     *     ],
     *     "groups": [
     *     {
     *       "op": "add",
     *       "name": "Dispatch"
     *     }
     *     ],
     *     "warnings": [],
     *     "outcome": "planned",
     *     "message": null
     *   }
     */
    readonly ConnectorPlanItem: {
      readonly index: number;
      /** @description Id in the source. */
      readonly record: string;
      /** @enum {string} */
      readonly kind: "create" | "link" | "relink" | "update" | "deactivate" | "reactivate" | "missing" | "future" | "touch";
      readonly user_id: string | null;
      readonly name: string;
      readonly why: string;
      readonly changes: readonly {
        readonly attribute: string;
        readonly before: components["schemas"]["__schema0"];
        readonly after: components["schemas"]["__schema1"];
      }[];
      readonly groups: readonly {
        /** @enum {string} */
        readonly op: "add" | "remove";
        readonly name: string;
      }[];
      /** @description Record id of the new manager. */
      readonly manager?: string | null;
      readonly warnings: readonly string[];
      /**
       * @description `stale`: the record had changed; the next run plans it again. `skipped`: the run was stopped before.
       * @enum {string}
       */
      readonly outcome: "planned" | "applied" | "failed" | "stale" | "skipped";
      readonly message: string | null;
    };
    /**
     * @example {
     *     "id": "run-2d1zlmkzi80-b2fbbf",
     *     "tenant": "acme",
     *     "connector": "bamboo-eu",
     *     "mode": "full",
     *     "state": "held",
     *     "trigger": "schedule",
     *     "plan_only": false,
     *     "requested_by": null,
     *     "created_at": "2026-11-22T03:17:00.000Z",
     *     "started_at": "2026-11-22T03:17:00.000Z",
     *     "finished_at": null,
     *     "read": 412,
     *     "staged": 412,
     *     "unchanged": 409,
     *     "applied": 0,
     *     "failed": 0,
     *     "per_second": null,
     *     "planned": {
     *     "missing": 388,
     *     "update": 3
     *     },
     *     "plan": {
     *     "digest": "9f2c4b7d1a3e5c6f8091a2b3c4d5e6f7",
     *     "deactivations": 0,
     *     "email_changes": 0,
     *     "findings": [
     *       {
     *       "guard": "deactivations",
     *       "message": "388 of 800 active users are missing."
     *       }
     *     ]
     *     },
     *     "expires_at": "2026-11-23T03:17:40.000Z",
     *     "approved_by": null,
     *     "approved_at": null,
     *     "message": "388 of 800 active users are missing.",
     *     "warnings": []
     *   }
     */
    readonly ConnectorRun: {
      readonly id: string;
      readonly tenant: string;
      readonly connector: string;
      /**
       * @description `dates`: no read; what stored dates change today.
       * @enum {string}
       */
      readonly mode: "full" | "delta" | "dates" | "ids";
      /** @enum {string} */
      readonly state: "queued" | "reading" | "planning" | "planned" | "held" | "approved" | "applying" | "done" | "failed" | "rejected" | "expired" | "superseded" | "cancelled";
      /** @enum {string} */
      readonly trigger: "schedule" | "catch-up" | "operator" | "first";
      readonly plan_only: boolean;
      readonly requested_by: string | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      readonly created_at: string;
      readonly started_at: string | null;
      readonly finished_at: string | null;
      /** @description Records read. */
      readonly read: number;
      /** @description Records stored for planning. */
      readonly staged: number;
      /** @description Records that change nothing. */
      readonly unchanged: number;
      /** @description Planned items that were applied. */
      readonly applied: number;
      /** @description Records that failed; they are in quarantine. */
      readonly failed: number;
      /** @description Records per second; null unless it runs here. */
      readonly per_second: number | null;
      /** @description Items of the plan, by kind. */
      readonly planned: {
        readonly [key: string]: number;
      };
      readonly plan: {
        /** @description An approval names it. */
        readonly digest: string;
        readonly deactivations: number;
        readonly email_changes: number;
        /** @description Why it needs an approval; empty: it needs none. */
        readonly findings: readonly {
          readonly guard: string;
          readonly message: string;
        }[];
      } | null;
      readonly expires_at: string | null;
      readonly approved_by: string | null;
      readonly approved_at: string | null;
      readonly message: string | null;
      readonly warnings: readonly string[];
    };
    readonly ConnectorRunList: {
      readonly runs: readonly components["schemas"]["ConnectorRun"][];
      /** @description Pass it as `after`; null: the last page. */
      readonly next: string | null;
    };
    /**
     * @example {
     *     "key_id": "0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59",
     *     "prefix": "rg_4fJx09Qa",
     *     "description": "Okta",
     *     "scopes": [
     *     "scim:read",
     *     "scim:write"
     *     ],
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "key": "rg_4fJx09Qa_••••••••••••••••••••••••••••••••••••••"
     *   }
     */
    readonly CreatedApiKey: {
      /**
       * Format: uuid
       * @description The key's id.
       */
      readonly key_id: string;
      /** @description First characters of the key, to recognise it by. */
      readonly prefix: string;
      /** @description Label of the key. */
      readonly description: string;
      readonly scopes: readonly ("scim:read" | "scim:write" | "api:users:read" | "api:users:write" | "api:rooms:read" | "api:rooms:write" | "api:sms_lists:read" | "api:sms_lists:write" | "usage" | "webhooks")[];
      /**
       * Format: date-time
       * @description When the key was created.
       */
      readonly created_at: string;
      /** @description The key itself. Returned only in this response. */
      readonly key: string;
    };
    /**
     * @example {
     *     "id": "0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11",
     *     "url": "https://hooks.example.com/rollgate",
     *     "events": [
     *     "user.created",
     *     "user.deactivated"
     *     ],
     *     "status": "active",
     *     "description": "Badge system",
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1xQ3yPqLFjw="
     *   }
     */
    readonly CreatedWebhook: {
      /**
       * Format: uuid
       * @description The registration's id.
       */
      readonly id: string;
      /**
       * Format: uri
       * @description The URL that deliveries are sent to.
       */
      readonly url: string;
      /** @description The subscribed events; `*` means all. */
      readonly events: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed" | "user.*" | "room.*" | "group.*" | "sms_list.*" | "*")[];
      /**
       * @description While disabled, events are dropped.
       * @enum {string}
       */
      readonly status: "active" | "disabled";
      readonly description: string | null;
      /**
       * Format: date-time
       * @description When the registration was created.
       */
      readonly created_at: string;
      /** @description Names of the additional headers; absent if there are none. Values are never returned. */
      readonly header_names?: readonly string[];
      /** @description Why the gateway disabled the registration; absent if it did not. */
      readonly disabled_reason?: string;
      /** @description The signing secret. Returned only in this response. */
      readonly secret: string;
    };
    /**
     * @example {
     *     "dry_run": true,
     *     "status": 204,
     *     "body": null,
     *     "events": [],
     *     "event_count": 0,
     *     "role_changes": [],
     *     "role_change_count": 0,
     *     "role_change_summary": [],
     *     "seats": {
     *     "capacity": 50,
     *     "before": 12,
     *     "after": 12
     *     },
     *     "remaining": 0
     *   }
     */
    readonly DryRun: {
      readonly dry_run: boolean;
      /** @description Status of the real response; it is 202 instead if the remaining work takes longer than a response waits. */
      readonly status: number;
      /** @description Body of the real response, which may be an error; null without a body. Generated ids, keys and secrets are placeholders. */
      readonly body: unknown;
      /** @description The first 100 events, in order. */
      readonly events: readonly {
        readonly event: string;
        readonly data: {
          readonly [key: string]: unknown;
        };
      }[];
      /** @description Number of events of the first commit; the remaining work adds more. */
      readonly event_count: number;
      /** @description The first 100 users whose role would change in the first commit. */
      readonly role_changes: readonly {
        /**
         * Format: uuid
         * @description The user's id.
         */
        readonly user_id: string;
        readonly from: string;
        readonly to: string;
      }[];
      /** @description Number of users whose role would change in the first commit. */
      readonly role_change_count: number;
      /** @description All of them by role before and after, the most frequent first. */
      readonly role_change_summary: readonly {
        readonly from: string;
        readonly to: string;
        readonly count: number;
      }[];
      /** @description Zeros if the request was refused before the tenant was read. */
      readonly seats: {
        /** @description Null: unlimited. */
        readonly capacity: number | null;
        /** @description Seats taken now. */
        readonly before: number;
        /** @description Seats taken afterwards. */
        readonly after: number;
      };
      /** @description Members that a job would process after the response. */
      readonly remaining: number;
    };
    /** @description The body of every error. */
    readonly Error: {
      /**
       * @description Stable error code.
       * @enum {string}
       */
      readonly error: "INVALID_REQUEST" | "INVALID_JSON" | "INVALID_FILTER" | "UNAUTHENTICATED" | "INSUFFICIENT_SCOPE" | "INSUFFICIENT_ROLE" | "STEP_UP_REQUIRED" | "CSRF_REJECTED" | "SEAT_CAPACITY_REACHED" | "NOT_FOUND" | "TENANT_NOT_FOUND" | "API_KEY_NOT_FOUND" | "USER_NOT_FOUND" | "ROOM_NOT_FOUND" | "GROUP_NOT_FOUND" | "MEMBER_NOT_FOUND" | "ROLE_MAPPING_NOT_FOUND" | "JOB_NOT_FOUND" | "COMMAND_NOT_FOUND" | "REQUEST_NOT_FOUND" | "SMS_LIST_NOT_FOUND" | "OPERATOR_NOT_FOUND" | "SESSION_NOT_FOUND" | "EMAIL_TAKEN" | "USERNAME_TAKEN" | "EXTERNAL_ID_TAKEN" | "GROUP_EXISTS" | "MEMBER_EXISTS" | "NAME_TAKEN" | "SLUG_TAKEN" | "OPERATOR_FROM_PROVIDER" | "REQUEST_NOT_REPLAYABLE" | "IDEMPOTENCY_CONFLICT" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METHOD_NOT_ALLOWED" | "EXPECTATION_FAILED" | "RATE_LIMITED" | "INTERNAL" | "NOT_IMPLEMENTED" | "UNAVAILABLE" | "REMOVALS_HELD" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "WEBHOOK_DISABLED" | "CONNECTOR_NOT_FOUND" | "CONNECTOR_RUN_NOT_FOUND" | "CONNECTOR_RUN_ENDED" | "CONNECTOR_RECORD_NOT_FOUND" | "CONNECTOR_DISABLED" | "CONNECTOR_RUNNING" | "CONNECTOR_PLAN_OUTDATED" | "CONNECTOR_UNREACHABLE";
      /** @description Human-readable explanation; the text may change. */
      readonly message: string;
      readonly details?: readonly components["schemas"]["ErrorDetail"][];
      /** @description Include it when you report a problem. */
      readonly request_id: string;
    };
    /** @description One invalid part of the request: its path, and what is wrong with it. */
    readonly ErrorDetail: {
      readonly path: string;
      readonly message: string;
    };
    readonly Event: components["schemas"]["UserCreatedEvent"] | components["schemas"]["UserUpdatedEvent"] | components["schemas"]["UserDeactivatedEvent"] | components["schemas"]["UserReactivatedEvent"] | components["schemas"]["UserDeletedEvent"] | components["schemas"]["RoomMemberAddedEvent"] | components["schemas"]["RoomMemberRemovedEvent"] | components["schemas"]["RoomMemberUpdatedEvent"] | components["schemas"]["GroupCreatedEvent"] | components["schemas"]["GroupUpdatedEvent"] | components["schemas"]["GroupDeletedEvent"] | components["schemas"]["GroupMemberAddedEvent"] | components["schemas"]["GroupMemberRemovedEvent"] | components["schemas"]["SmsListCreatedEvent"] | components["schemas"]["SmsListUpdatedEvent"] | components["schemas"]["SmsListDeletedEvent"] | components["schemas"]["SmsListMembersAddedEvent"] | components["schemas"]["SmsListMembersRemovedEvent"];
    readonly EventFeed: {
      readonly events: readonly components["schemas"]["Event"][];
      /** @description Value of `after` for the next page. */
      readonly next_after: number;
      /** @description True if more events are available now. */
      readonly has_more: boolean;
      /** @description True if events after `after` have expired: you have missed some. */
      readonly has_gap: boolean;
    };
    readonly EventGroup: {
      /**
       * Format: uuid
       * @description The group's id.
       */
      readonly id: string;
      readonly display_name: string;
      readonly external_id: string | null;
      /** @description Null for a group without a room. */
      readonly room_id: string | null;
      /** @description The role that a mapping gives its members. */
      readonly role: string | null;
    };
    readonly EventRoom: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly id: string;
      readonly name: string;
      /** @description Name of its SCIM mapping; null without a mapping. */
      readonly display_name: string | null;
      /** @description External id of its SCIM mapping; null without a mapping. */
      readonly external_id: string | null;
    };
    readonly EventSmsList: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly id: string;
      readonly external_id: string | null;
      readonly name: string;
    };
    readonly EventUser: {
      /**
       * Format: uuid
       * @description The user's id.
       */
      readonly id: string;
      readonly email: string | null;
      readonly display_name: string;
      readonly active: boolean;
    };
    readonly ExplainedFact: {
      /** @enum {string} */
      readonly kind: "user" | "room" | "group" | "no_group" | "membership" | "role_mapping" | "no_role_mapping" | "priority" | "default_role" | "job" | "command";
      /** @description Human-readable sentence. */
      readonly text: string;
      readonly user_id?: string;
      readonly room_id?: string;
      readonly group_id?: string;
      /** @description Display name of the group. */
      readonly group_name?: string;
      readonly role_mapping_id?: string;
      /** @description Id of an entry in the provisioning log. */
      readonly command_id?: string;
      /** @description Request id of that entry. */
      readonly request_id?: string;
      /** @description Path of that entry, in this API. */
      readonly link?: string;
      /** Format: date-time */
      readonly at?: string;
    };
    readonly ExplainedRemedy: {
      /** @enum {string} */
      readonly action: "add_member" | "remove_member" | "update_member" | "map_room" | "update_role_mapping";
      /** @enum {string} */
      readonly method: "POST" | "PATCH" | "DELETE";
      /** @description Of the call, in this API. */
      readonly path: string;
      /** @description Of the call; what is to be chosen is left out. */
      readonly body?: {
        readonly [key: string]: components["schemas"]["__schema0"];
      };
      readonly room_id?: string;
      readonly user_id?: string;
      readonly role_mapping_id?: string;
    };
    /**
     * @example {
     *     "question": "Why does Ada Lovelace (ada@example.com) have the role \"dispatcher\"?",
     *     "answer": {
     *     "text": "The role mapping of the group \"Dispatch\" gives the role \"dispatcher\".",
     *     "role": "dispatcher"
     *     },
     *     "facts": [
     *     {
     *       "kind": "role_mapping",
     *       "text": "The user is in the group \"Dispatch\", whose mapping gives \"dispatcher\" with priority 10.",
     *       "group_id": "5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e",
     *       "group_name": "Dispatch"
     *     }
     *     ],
     *     "would_change": [
     *     {
     *       "text": "Leaving the group \"Dispatch\" would give the role \"member\".",
     *       "role": "member"
     *     }
     *     ]
     *   }
     */
    readonly Explanation: {
      readonly question: string;
      readonly answer: {
        readonly text: string;
        /** @description Whether the user is in the room. */
        readonly member?: boolean;
        /** @description Null for a non-member. */
        readonly tx_permission?: boolean | null;
        /**
         * @description Of a user who is not in the room. `unknown`: the provisioning log does not reach back far enough.
         * @enum {string}
         */
        readonly not_member_because?: "removed" | "never_added" | "unknown";
        /** @description The current role; null for a deleted user. */
        readonly role?: string | null;
      };
      /** @description The facts that lead to the answer, in order. */
      readonly facts: readonly components["schemas"]["ExplainedFact"][];
      readonly would_change: readonly {
        readonly text: string;
        /** @description The resulting role. */
        readonly role?: string;
        /** @description Absent: no call of this API makes the change. */
        readonly remedy?: components["schemas"]["ExplainedRemedy"];
      }[];
    };
    /**
     * @example {
     *     "id": "5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e",
     *     "display_name": "Dispatch",
     *     "external_id": null,
     *     "room_id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *     "role": "dispatcher",
     *     "member_count": 12,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "updated_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly Group: {
      /**
       * Format: uuid
       * @description The group's id, the same as in SCIM.
       */
      readonly id: string;
      /** @description Unique in the tenant, ignoring case. */
      readonly display_name: string;
      /** @description Id of the group in the identity provider. */
      readonly external_id: string | null;
      /** @description Room of the group; null for a role-only group. */
      readonly room_id: string | null;
      /** @description Role that a role mapping gives to the members, or null. */
      readonly role: string | null;
      readonly member_count: number;
      /**
       * Format: date-time
       * @description When the group was created.
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When the group or its members were last changed.
       */
      readonly updated_at: string;
    };
    /** @description A SCIM group was created. */
    readonly GroupCreatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "group.created";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly group: components["schemas"]["EventGroup"];
      };
    };
    /** @description A SCIM group was deleted. */
    readonly GroupDeletedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "group.deleted";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly group: components["schemas"]["EventGroup"];
      };
    };
    readonly GroupList: {
      readonly groups: readonly components["schemas"]["Group"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /** @description A user was added to a group without a room. */
    readonly GroupMemberAddedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "group.member_added";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly group: components["schemas"]["EventGroup"];
        readonly user: components["schemas"]["EventUser"];
      };
    };
    /** @description A user was removed from a group without a room. */
    readonly GroupMemberRemovedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "group.member_removed";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly group: components["schemas"]["EventGroup"];
        readonly user: components["schemas"]["EventUser"];
      };
    };
    /** @description The name or external id of a SCIM group changed. */
    readonly GroupUpdatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "group.updated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly group: components["schemas"]["EventGroup"];
        /** @description Names of the changed attributes. */
        readonly changed: readonly string[];
      };
    };
    /**
     * @example {
     *     "record": "4711"
     *   }
     */
    readonly IgnoredRecord: {
      /** @description Id in the source. */
      readonly record: string;
    };
    /**
     * @example {
     *     "id": "7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
     *     "kind": "roster.clear",
     *     "state": "running",
     *     "done": 40250,
     *     "total": 100000,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "finished_at": null
     *   }
     */
    readonly Job: {
      /** @description Id of the command that the job completes; a second job appends `-1`. */
      readonly id: string;
      /**
       * @description What it does: change or remove members (`roster.…`, `sms-list.…`), or recompute roles.
       * @enum {string}
       */
      readonly kind: "roster.apply" | "roster.clear" | "roles.recompute" | "sms-list.apply" | "sms-list.clear";
      /** @enum {string} */
      readonly state: "running" | "done";
      /** @description Number of users or members processed. */
      readonly done: number;
      /** @description Number of users or members to process. */
      readonly total: number;
      /**
       * Format: date-time
       * @description When the job started.
       */
      readonly created_at: string;
      readonly finished_at: string | null;
    };
    readonly JobList: {
      readonly jobs: readonly components["schemas"]["Job"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "id": "7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
     *     "done": 12250,
     *     "total": 100000
     *   }
     */
    readonly JobProgress: {
      /** @description The job's id. */
      readonly id: string;
      /** @description Number of users or members processed. */
      readonly done: number;
      /** @description Number of users or members to process. */
      readonly total: number;
    };
    /**
     * @example {
     *     "key_id": "0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59",
     *     "tenant_slug": "acme",
     *     "tenant_id": "9d2b7f6a-1c3d-4e5f-8a9b-0c1d2e3f4a5b",
     *     "scopes": [
     *     "scim:read",
     *     "scim:write"
     *     ],
     *     "description": "Okta"
     *   }
     */
    readonly KeyMetadata: {
      /**
       * Format: uuid
       * @description The key's id.
       */
      readonly key_id: string;
      readonly tenant_slug: string;
      /**
       * Format: uuid
       * @description The tenant's id.
       */
      readonly tenant_id: string;
      /** @description Scopes of the key. */
      readonly scopes: readonly ("scim:read" | "scim:write" | "api:users:read" | "api:users:write" | "api:rooms:read" | "api:rooms:write" | "api:sms_lists:read" | "api:sms_lists:write" | "usage" | "webhooks")[];
      /** @description Label of the key. */
      readonly description: string;
    };
    /**
     * @example {
     *     "user_id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *     "tx_permission": true,
     *     "email": "ada@example.com",
     *     "display_name": "Ada Lovelace",
     *     "active": true,
     *     "added_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly ListedMember: {
      /**
       * Format: uuid
       * @description The user's id.
       */
      readonly user_id: string;
      /** @description Whether the user may transmit in the room. */
      readonly tx_permission: boolean;
      readonly email: string | null;
      readonly display_name: string;
      /** @description Whether the user is active. */
      readonly active: boolean;
      /**
       * Format: date-time
       * @description When the user was added.
       */
      readonly added_at: string;
    };
    /**
     * @example {
     *     "at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly LiveHeartbeat: {
      /**
       * Format: date-time
       * @description The time of the database.
       */
      readonly at: string;
    };
    readonly LoggedChange: {
      /** @description Path of the field in the subject; fields of other objects start with their collection: `users[<id>].role`. */
      readonly path: string;
      /** @description Null if it had no value. */
      readonly before?: components["schemas"]["__schema0"];
      /** @description If both `before` and `after` are absent, the values are not recorded. */
      readonly after?: components["schemas"]["__schema1"];
    };
    readonly LoggedObject: {
      /** @description `user`, `room`, `group`, `role_mapping`, `sms_list`, `api_key`, `tenant`, or what a plugin names. */
      readonly kind: string;
      /** @description Null if the command that would create it was refused. */
      readonly id: string | null;
      /** @description Name at that time, or as the client sent it. Phone numbers are masked. */
      readonly name: string | null;
    };
    /**
     * @example {
     *     "room_id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *     "members_added": 3,
     *     "members_updated": 1,
     *     "members_removed": 2
     *   }
     */
    readonly MemberSync: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly room_id: string;
      readonly members_added: number;
      /** @description Members with a changed transmit permission. */
      readonly members_updated: number;
      readonly members_removed: number;
    };
    /**
     * @example {
     *     "description": "Okta",
     *     "scopes": [
     *     "scim:read",
     *     "scim:write"
     *     ]
     *   }
     */
    readonly NewApiKey: {
      readonly description: string;
      /** @description A write scope does not imply read. */
      readonly scopes: readonly ("scim:read" | "scim:write" | "api:users:read" | "api:users:write" | "api:rooms:read" | "api:rooms:write" | "api:sms_lists:read" | "api:sms_lists:write" | "usage" | "webhooks")[];
    };
    /**
     * @example {
     *     "mode": "full",
     *     "plan_only": true
     *   }
     */
    readonly NewConnectorRun: {
      /**
       * @description Default: full; ignored with `records`.
       * @enum {string}
       */
      readonly mode?: "full" | "delta" | "dates";
      /** @description End with the plan; nothing is changed. */
      readonly plan_only?: boolean;
      /** @description Only these records, by their id in the source. */
      readonly records?: readonly string[];
    };
    /**
     * @example {
     *     "name": "Ada Lovelace",
     *     "email": "ada@example.com",
     *     "role": "admin",
     *     "tenants": null
     *   }
     */
    readonly NewOperator: {
      readonly name: string;
      /** @description Default: `null`. */
      readonly email?: string | null;
      /** @enum {string} */
      readonly role: "auditor" | "operator" | "admin" | "owner";
      /** @description Slugs of the tenants they may see; null: all. An owner is not bound to tenants. Default: `null`. */
      readonly tenants?: readonly string[] | null;
    };
    /**
     * @example {
     *     "group_display_name": "Dispatchers",
     *     "role": "dispatcher",
     *     "apply_on_scim_provisioning": true,
     *     "priority": 100
     *   }
     */
    readonly NewRoleMapping: {
      /** @description Display name of the SCIM group, which may not exist yet. Unique, ignoring case. */
      readonly group_display_name: string;
      /** @description Role of the members of the group. */
      readonly role: string;
      /** @description If false, the mapping has no effect. Default: `true`. */
      readonly apply_on_scim_provisioning?: boolean;
      /** @description If several groups match, the lowest priority number wins. Default: `100`. */
      readonly priority?: number;
    };
    /**
     * @example {
     *     "user_id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *     "tx_permission": true
     *   }
     */
    readonly NewRoomMember: {
      /** @description The user's id. */
      readonly user_id: string;
      /** @description Whether the user may transmit. Default: `false`. */
      readonly tx_permission?: boolean;
    };
    /**
     * @example {
     *     "provider": "okta",
     *     "expires_in_hours": 72
     *   }
     */
    readonly NewSetupLink: {
      /**
       * @description Default: `"other"`.
       * @enum {string}
       */
      readonly provider?: "okta" | "entra" | "google" | "keycloak" | "authentik" | "other";
      /** @description Default: `72`. */
      readonly expires_in_hours?: number;
    };
    /**
     * @example {
     *     "name": "Night shift",
     *     "external_id": "roster-7",
     *     "valid_until": "2027-01-01T00:00:00Z"
     *   }
     */
    readonly NewSmsList: {
      /** @description Unique among the tenant's SMS lists, ignoring case. */
      readonly name: string;
      /** @description Unique if set. */
      readonly external_id?: string | null;
      /** @description Start of the validity window, inclusive. Null or omitted: no start. */
      readonly valid_from?: string | null;
      /** @description End of the validity window, exclusive. Null or omitted: no end. */
      readonly valid_until?: string | null;
    };
    readonly NewSmsMember: {
      /** @description In any international form; stored and returned as E.164. A number without a country code uses the tenant's default country, if an operator has set one. */
      readonly phone_number: string;
      readonly display_name?: string | null;
      /** @description Start of the validity window, inclusive. Null or omitted: no start. */
      readonly valid_from?: string | null;
      /** @description End of the validity window, exclusive. Null or omitted: no end. */
      readonly valid_until?: string | null;
    };
    /**
     * @example {
     *     "slug": "acme",
     *     "name": "Acme Dispatch",
     *     "seat_capacity": 50,
     *     "default_role": "member",
     *     "room_provisioning": "manual",
     *     "default_country": "DE",
     *     "scim": {
     *     "put_without_members": "clear",
     *     "strict_errors": false,
     *     "max_removals_per_hour": null
     *     }
     *   }
     */
    readonly NewTenant: {
      readonly slug: string;
      readonly name: string;
      /** @description Default: `null`. */
      readonly seat_capacity?: number | null;
      /** @description Default: `"member"`. */
      readonly default_role?: string;
      /**
       * @description What creating a SCIM group without a matching room does: `manual` returns ROOM_NOT_FOUND, `automatic` creates the room. Default: `"manual"`.
       * @enum {string}
       */
      readonly room_provisioning?: "manual" | "automatic";
      /** @description Country of phone numbers without a country code, on SMS lists. Null: a country code is required. Default: `null`. */
      readonly default_country?: string | null;
      /** @description SCIM settings. Default: `{}`. */
      readonly scim?: {
        /**
         * @description What a SCIM PUT of a group without `members` does: remove all members, or keep them. Default: `"clear"`.
         * @enum {string}
         */
        readonly put_without_members?: "clear" | "keep";
        /** @description If true, SCIM error bodies have only the attributes of RFC 7644: no `error`, `details` or `request_id`. Default: `false`. */
        readonly strict_errors?: boolean;
        /** @description How many users an API key may deactivate or delete, and members remove from groups, by SCIM within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator allows them. Null: any number. Default: `null`. */
        readonly max_removals_per_hour?: number | null;
      };
    };
    /**
     * @example {
     *     "email": "ada@example.com",
     *     "display_name": "Ada Lovelace",
     *     "external_id": "HR-1815"
     *   }
     */
    readonly NewUser: {
      /**
       * Format: email
       * @description Unique in the tenant, ignoring case.
       */
      readonly email: string;
      /** @description The user's name. */
      readonly display_name?: string;
      /** @description The user's id in your system. */
      readonly external_id?: string;
      /** @description Each active user takes a seat. Default: `true`. */
      readonly active?: boolean;
    };
    /**
     * @example {
     *     "url": "https://hooks.example.com/rollgate",
     *     "events": [
     *     "user.created"
     *     ]
     *   }
     */
    readonly NewWebhook: {
      /**
       * Format: uri
       * @description HTTPS only; loopback, private and metadata addresses are refused.
       */
      readonly url: string;
      /** @description Event names, a family such as `room.*`, or `*` for all events. */
      readonly events: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed" | "user.*" | "room.*" | "group.*" | "sms_list.*" | "*")[];
      /** @description The signing secret. Generated if omitted. */
      readonly secret?: string;
      /** @description A label for display. */
      readonly description?: string | null;
      /** @description Headers to send with every delivery, such as Authorization. Values are stored encrypted and never returned. */
      readonly headers?: {
        readonly [key: string]: string;
      };
    };
    /**
     * @example {
     *     "id": "2f0c8d3a-6d7e-4b1f-9a5c-3e2d1c0b9a88",
     *     "name": "Ada Lovelace",
     *     "email": "ada@example.com",
     *     "role": "admin",
     *     "tenants": null,
     *     "source": "link",
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "disabled_at": null,
     *     "last_sign_in_at": null
     *   }
     */
    readonly Operator: {
      /**
       * Format: uuid
       * @description The operator's id.
       */
      readonly id: string;
      readonly name: string;
      readonly email: string | null;
      /** @enum {string} */
      readonly role: "auditor" | "operator" | "admin" | "owner";
      /** @description Slugs of their tenants; null: all. */
      readonly tenants: readonly string[] | null;
      /**
       * @description How they sign in; with `oidc`, the provider decides name, role and tenants.
       * @enum {string}
       */
      readonly source: "link" | "oidc";
      /**
       * Format: date-time
       * @description When the operator was created.
       */
      readonly created_at: string;
      readonly disabled_at: string | null;
      readonly last_sign_in_at: string | null;
    };
    readonly OperatorList: {
      readonly operators: readonly components["schemas"]["Operator"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "operator": {
     *     "id": "2f0c8d3a-6d7e-4b1f-9a5c-3e2d1c0b9a88",
     *     "name": "Ada Lovelace",
     *     "email": "ada@example.com",
     *     "role": "admin",
     *     "tenants": null
     *     },
     *     "csrf_token": "h3hq0cY0xq8m1cY2nX0J8nqjzTt0o2bqS3qvE8yq3xk",
     *     "authenticated_at": "2026-01-31T12:00:00.000Z",
     *     "step_up_until": "2026-01-31T12:15:00.000Z",
     *     "expires_at": "2026-01-31T12:30:00.000Z",
     *     "setup": null,
     *     "sign_out_url": null
     *   }
     */
    readonly OperatorSession: {
      readonly operator: {
        readonly id: string | null;
        readonly name: string;
        readonly email: string | null;
        /** @enum {string} */
        readonly role: "auditor" | "operator" | "admin" | "owner" | "setup";
        /** @description Slugs of the tenants they may see; null: all. */
        readonly tenants: readonly string[] | null;
      };
      /** @description Send it as `X-CSRF-Token` with every write. Null with the admin token. */
      readonly csrf_token: string | null;
      readonly authenticated_at: string | null;
      readonly step_up_until: string | null;
      readonly expires_at: string | null;
      /** @description In a session of a setup link: what it is for. */
      readonly setup: {
        readonly tenant: string;
        readonly provider: string;
        readonly key_id: string | null;
      } | null;
      /** @description Where to sign out of the OpenID provider, too. */
      readonly sign_out_url: string | null;
    };
    /**
     * @example {
     *     "role": "auditor"
     *   }
     */
    readonly OperatorUpdate: {
      readonly name?: string;
      readonly email?: string | null;
      /** @enum {string} */
      readonly role?: "auditor" | "operator" | "admin" | "owner";
      /** @description Slugs of the tenants they may see; null: all. An owner is not bound to tenants. */
      readonly tenants?: readonly string[] | null;
      /** @description True ends their sessions; they cannot sign in. */
      readonly disabled?: boolean;
    };
    /**
     * @example {
     *     "plan": "9f2c4b7d1a3e5c6f8091a2b3c4d5e6f7"
     *   }
     */
    readonly PlanApproval: {
      /** @description The digest of the plan. */
      readonly plan: string;
    };
    /**
     * @example {
     *     "name": "audit",
     *     "use": "./audit.js",
     *     "title": "Audit trail",
     *     "version": "1.2.0",
     *     "state": "running",
     *     "health": {
     *     "ok": true,
     *     "message": "Running."
     *     },
     *     "lag": {
     *     "pending": 0,
     *     "overdue_seconds": 0
     *     },
     *     "last_failure": {
     *     "at": "2026-01-31T10:00:00.000Z",
     *     "reason": "The certificate is self-signed and not trusted here."
     *     }
     *   }
     */
    readonly Plugin: {
      /** @description The key of its section in the configuration. */
      readonly name: string;
      /** @description Its path or package; null if it is built in. */
      readonly use: string | null;
      /** @description Null while it is disabled. */
      readonly title: string | null;
      readonly version?: string;
      /**
       * @description Degraded: it runs, and its health check failed.
       * @enum {string}
       */
      readonly state: "running" | "degraded" | "disabled";
      /** @description In this instance; null while it is disabled. */
      readonly health: {
        readonly ok: boolean;
        readonly message: string;
      } | null;
      /** @description Over all instances; null if it does not subscribe to events. */
      readonly lag: {
        /** @description Deliveries that are not finished. */
        readonly pending: number | null;
        /** @description How long the most overdue delivery has been due. */
        readonly overdue_seconds: number | null;
      } | null;
      /** @description The last delivery attempt that failed on this instance since its start. */
      readonly last_failure: {
        /**
         * Format: date-time
         * @description When it ended.
         */
        readonly at: string;
        readonly reason: string;
      } | null;
    };
    /**
     * @example {
     *     "record": "4711",
     *     "name": "Ada Lovelace",
     *     "code": "EMAIL_TAKEN",
     *     "message": "Another user has this e-mail address.",
     *     "failures": 2,
     *     "first_at": "2026-11-22T03:17:40.000Z",
     *     "last_at": "2026-11-22T05:20:00.000Z",
     *     "next_at": "2026-11-22T11:20:00.000Z",
     *     "is_ignored": false,
     *     "run": "run-2d1zlmkzi80-b2fbbf"
     *   }
     */
    readonly QuarantinedRecord: {
      /** @description Id in the source. */
      readonly record: string;
      readonly name: string;
      readonly code: string;
      readonly message: string;
      readonly failures: number;
      /**
       * Format: date-time
       * @description When it failed first.
       */
      readonly first_at: string;
      /**
       * Format: date-time
       * @description When it failed last.
       */
      readonly last_at: string;
      readonly next_at: string | null;
      readonly is_ignored: boolean;
      /** @description The run in which it failed last. */
      readonly run: string;
    };
    readonly QuarantinedRecordList: {
      readonly records: readonly components["schemas"]["QuarantinedRecord"][];
      /** @description Pass it as `after`; null: the last page. */
      readonly next: string | null;
    };
    /**
     * @example {
     *     "since": "2026-01-31T10:00:00.000Z"
     *   }
     */
    readonly RecoverWebhook: {
      /**
       * Format: date-time
       * @description Deliveries that failed at or after this time are retried.
       */
      readonly since: string;
    };
    /**
     * @example {
     *     "members": [
     *     {
     *       "user_id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *       "tx_permission": true
     *     }
     *     ]
     *   }
     */
    readonly ReplaceRoomMembers: {
      readonly members: readonly {
        /** @description The user's id. */
        readonly user_id: string;
        /** @description If omitted: false for a new member, unchanged for an existing one. */
        readonly tx_permission?: boolean;
      }[];
    };
    /**
     * @example {
     *     "members": [
     *     {
     *       "phone_number": "+4915123456789",
     *       "display_name": "Ada Lovelace"
     *     }
     *     ]
     *   }
     */
    readonly ReplaceSmsMembers: {
      readonly members: readonly components["schemas"]["NewSmsMember"][];
    };
    /**
     * @example {
     *     "enabled": true,
     *     "until": "2026-02-01T12:00:00.000Z"
     *   }
     */
    readonly RequestCapture: {
      readonly enabled: boolean;
      readonly until: string | null;
    };
    /**
     * @example {
     *     "enabled": true
     *   }
     */
    readonly RequestCaptureChange: {
      readonly enabled: boolean;
      /** @description When it ends: at most 24 hours from now, which is the default. */
      readonly until?: string | null;
    };
    /**
     * @example {
     *     "record": "4711"
     *   }
     */
    readonly RetriedRecord: {
      /** @description Id in the source. */
      readonly record: string;
    };
    /**
     * @example {
     *     "id": "2f7d4b1c-9e8a-4c3b-b2a1-0f1e2d3c4b5a",
     *     "group_display_name": "Dispatchers",
     *     "role": "dispatcher",
     *     "apply_on_scim_provisioning": true,
     *     "priority": 100,
     *     "source": "scim",
     *     "created_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly RoleMapping: {
      /**
       * Format: uuid
       * @description The mapping's id.
       */
      readonly id: string;
      /** @description Display name of the SCIM group, which may not exist yet. Unique, ignoring case. */
      readonly group_display_name: string;
      /** @description Role of the members of the group. */
      readonly role: string;
      /** @description If false, the mapping has no effect. */
      readonly apply_on_scim_provisioning: boolean;
      /** @description If several groups match, the lowest priority number wins. */
      readonly priority: number;
      /** @constant */
      readonly source: "scim";
      /**
       * Format: date-time
       * @description When the mapping was created.
       */
      readonly created_at: string;
    };
    /**
     * @example {
     *     "priority": 10
     *   }
     */
    readonly RoleMappingChanges: {
      /** @description Display name of the SCIM group, which may not exist yet. Unique, ignoring case. */
      readonly group_display_name?: string;
      /** @description Role of the members of the group. */
      readonly role?: string;
      /** @description If false, the mapping has no effect. */
      readonly apply_on_scim_provisioning?: boolean;
      /** @description If several groups match, the lowest priority number wins. */
      readonly priority?: number;
    };
    readonly RoleMappingList: {
      readonly role_mappings: readonly components["schemas"]["RoleMapping"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "role": "dispatcher",
     *     "mapping": {
     *     "id": "51d18237-2fd8-4398-9cbb-bd502364ee0d",
     *     "group_display_name": "Dispatch",
     *     "role": "dispatcher",
     *     "source": "scim",
     *     "apply_on_scim_provisioning": true,
     *     "priority": 10,
     *     "created_at": "2026-01-31T12:00:00.000Z"
     *     },
     *     "default_role": "member",
     *     "matches": [
     *     {
     *       "id": "51d18237-2fd8-4398-9cbb-bd502364ee0d",
     *       "group_display_name": "Dispatch",
     *       "role": "dispatcher",
     *       "priority": 10,
     *       "applies": true,
     *       "reason": "The only mapping for these groups."
     *     }
     *     ],
     *     "rooms": [
     *     {
     *       "id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *       "name": "Dispatch"
     *     }
     *     ],
     *     "groups": [
     *     {
     *       "display_name": "Dispatch",
     *       "exists": true,
     *       "room": {
     *       "id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *       "name": "Dispatch"
     *       },
     *       "problem": null
     *     }
     *     ],
     *     "user": null
     *   }
     */
    readonly RoleTest: {
      /** @description The role that the user would have. */
      readonly role: string;
      /** @description The mapping that gives it; null: the default. */
      readonly mapping: components["schemas"]["RoleMapping"] | null;
      readonly default_role: string;
      /** @description The mappings for these groups; the one that gives the role comes first. */
      readonly matches: readonly {
        /**
         * Format: uuid
         * @description The mapping's id.
         */
        readonly id: string;
        readonly group_display_name: string;
        readonly role: string;
        readonly priority: number;
        /** @description Whether it gives the role. */
        readonly applies: boolean;
        readonly reason: string;
      }[];
      /** @description The rooms that the user would be in. */
      readonly rooms: readonly {
        /**
         * Format: uuid
         * @description The room's id.
         */
        readonly id: string;
        readonly name: string;
      }[];
      readonly groups: readonly {
        readonly display_name: string;
        /** @description Whether the tenant has this SCIM group. */
        readonly exists: boolean;
        readonly room: {
          /**
           * Format: uuid
           * @description The room's id.
           */
          readonly id: string;
          readonly name: string;
        } | null;
        /** @description What pushing the group would run into. */
        readonly problem: string | null;
      }[];
      /** @description The existing user with this user name; null if there is none. */
      readonly user: {
        /**
         * Format: uuid
         * @description The user's id.
         */
        readonly id: string;
        /** @description Role today. */
        readonly role: string;
      } | null;
    };
    /**
     * @example {
     *     "user": {
     *     "userName": "ada@example.com"
     *     },
     *     "groups": [
     *     "Dispatch",
     *     "Leads"
     *     ]
     *   }
     */
    readonly RoleTestInput: {
      /** @description A SCIM user, checked like the body of POST /Users. */
      readonly user?: {
        readonly [key: string]: unknown;
      };
      /** @description Display names of the groups that the user is in. */
      readonly groups: readonly string[];
    };
    /**
     * @example {
     *     "id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *     "name": "Dispatch",
     *     "display_name": "Dispatch",
     *     "external_id": null,
     *     "member_count": 12,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "role": null,
     *     "group_id": "5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e"
     *   }
     */
    readonly Room: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly id: string;
      /** @description Set by an operator. Unique in the tenant, ignoring case. */
      readonly name: string;
      /** @description Display name of the SCIM group mapping; null without a mapping. */
      readonly display_name: string | null;
      /** @description External id of the SCIM group mapping, or null. */
      readonly external_id: string | null;
      readonly member_count: number;
      /**
       * Format: date-time
       * @description When the room was created.
       */
      readonly created_at: string;
      /** @description Role that a role mapping gives to the members, or null. */
      readonly role: string | null;
      /** @description Id of the SCIM group; null without a mapping. */
      readonly group_id: string | null;
    };
    readonly RoomList: {
      readonly rooms: readonly components["schemas"]["Room"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "display_name": "Night dispatch",
     *     "external_id": "00g1emaKYZTWRYYRRTSK"
     *   }
     */
    readonly RoomMappingChanges: {
      /** @description Unique among the tenant's groups, ignoring case. */
      readonly display_name?: string;
      /** @description Null clears it. */
      readonly external_id?: string | null;
    };
    /**
     * @example {
     *     "user_id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *     "room_id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *     "tx_permission": false
     *   }
     */
    readonly RoomMember: {
      /**
       * Format: uuid
       * @description The user's id.
       */
      readonly user_id: string;
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly room_id: string;
      /** @description Whether the user may transmit in the room. */
      readonly tx_permission: boolean;
    };
    /** @description A user was added to a room. */
    readonly RoomMemberAddedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "room.member_added";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly room: components["schemas"]["EventRoom"];
        readonly user: components["schemas"]["EventUser"];
        readonly tx_permission: boolean;
      };
    };
    /**
     * @example {
     *     "tx_permission": true
     *   }
     */
    readonly RoomMemberChanges: {
      readonly tx_permission: boolean;
    };
    readonly RoomMemberList: {
      readonly members: readonly components["schemas"]["ListedMember"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /** @description A user was removed from a room. */
    readonly RoomMemberRemovedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "room.member_removed";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly room: components["schemas"]["EventRoom"];
        readonly user: components["schemas"]["EventUser"];
        readonly tx_permission: boolean;
      };
    };
    /** @description A member's transmit permission changed. */
    readonly RoomMemberUpdatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "room.member_updated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly room: components["schemas"]["EventRoom"];
        readonly user: components["schemas"]["EventUser"];
        readonly tx_permission: boolean;
      };
    };
    /**
     * @example {
     *     "name": "Dispatch"
     *   }
     */
    readonly RoomName: {
      /** @description Unique in the tenant, ignoring case. */
      readonly name: string;
    };
    /**
     * @example {
     *     "token": "rgadm_Y2xlYXJseS1hbi1leGFtcGxlLW5vdC1hLXRva2Vu",
     *     "stored_in": "/var/lib/rollgate/admin-token",
     *     "was_configured": false
     *   }
     */
    readonly RotatedAdminToken: {
      /** @description The new token. Returned only in this response. */
      readonly token: string;
      /** @description Path of the file on the gateway's machine that stores it. */
      readonly stored_in: string;
      /** @description True if the old token came from the configuration: update it before the next restart. */
      readonly was_configured: boolean;
    };
    /**
     * @example {
     *     "id": "0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11",
     *     "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1xQ3yPqLFjw="
     *   }
     */
    readonly RotatedSecret: {
      /**
       * Format: uuid
       * @description The registration's id.
       */
      readonly id: string;
      /** @description The new secret. Returned only in this response. */
      readonly secret: string;
    };
    /**
     * @description Several changes in one request (RFC 7644, section 3.7).
     * @example {
     *     "schemas": [
     *     "urn:ietf:params:scim:api:messages:2.0:BulkRequest"
     *     ],
     *     "Operations": [
     *     {
     *       "method": "POST",
     *       "path": "/Users",
     *       "bulkId": "ada",
     *       "data": {
     *       "schemas": [
     *         "urn:ietf:params:scim:schemas:core:2.0:User"
     *       ],
     *       "userName": "ada@example.com"
     *       }
     *     }
     *     ]
     *   }
     */
    readonly ScimBulkRequest: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Stop after this number of errors. */
      readonly failOnErrors?: number;
      readonly Operations: readonly {
        /** @description `POST`, `PUT`, `PATCH` or `DELETE`. */
        readonly method: string;
        /** @description Relative to the SCIM base, such as `/Users/{id}`. */
        readonly path: string;
        /** @description Identifies a created resource within this request, as `bulkId:…`. */
        readonly bulkId?: string;
        /** @description The expected version, like If-Match. */
        readonly version?: string;
        /** @description The body of the operation. */
        readonly data?: Record<string, never>;
      }[];
    };
    /** @description Results in the order of the request (RFC 7644, section 3.7.3). */
    readonly ScimBulkResponse: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly Operations: readonly {
        readonly method: string;
        readonly bulkId?: string;
        readonly location?: string;
        readonly version?: string;
        /** @description HTTP status as a string. */
        readonly status: string;
        readonly response?: components["schemas"]["ScimError"];
      }[];
    };
    /** @description Enterprise User */
    readonly ScimEnterpriseUser: {
      /** @description Numeric or alphanumeric identifier assigned to a person, typically based on order of hire or association with an organization. */
      readonly employeeNumber?: string;
      /** @description Identifies the name of a cost center. */
      readonly costCenter?: string;
      /** @description Identifies the name of an organization. */
      readonly organization?: string;
      /** @description Identifies the name of a division. */
      readonly division?: string;
      /** @description Identifies the name of a department. */
      readonly department?: string;
      /** @description The User's manager.  A complex type that optionally allows service providers to represent organizational hierarchy by referencing the 'id' attribute of another User. */
      readonly manager?: {
        /** @description The id of the SCIM resource representing the User's manager. */
        readonly value?: string;
        /** @description The URI of the SCIM resource representing the User's manager. */
        readonly $ref?: string;
        /** @description The displayName of the User's manager. */
        readonly displayName?: string;
      };
    };
    /** @description The error body of RFC 7644, section 3.12. It also has the `error`, `details` and `request_id` of native errors, unless the tenant sets `scim.strict_errors`. */
    readonly ScimError: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description HTTP status as a string. */
      readonly status: string;
      /** @description Detail error keyword (RFC 7644, table 9). */
      readonly scimType?: string;
      /** @description Human-readable explanation. */
      readonly detail?: string;
      /** @enum {string} */
      readonly error?: "INVALID_REQUEST" | "INVALID_JSON" | "INVALID_FILTER" | "UNAUTHENTICATED" | "INSUFFICIENT_SCOPE" | "INSUFFICIENT_ROLE" | "STEP_UP_REQUIRED" | "CSRF_REJECTED" | "SEAT_CAPACITY_REACHED" | "NOT_FOUND" | "TENANT_NOT_FOUND" | "API_KEY_NOT_FOUND" | "USER_NOT_FOUND" | "ROOM_NOT_FOUND" | "GROUP_NOT_FOUND" | "MEMBER_NOT_FOUND" | "ROLE_MAPPING_NOT_FOUND" | "JOB_NOT_FOUND" | "COMMAND_NOT_FOUND" | "REQUEST_NOT_FOUND" | "SMS_LIST_NOT_FOUND" | "OPERATOR_NOT_FOUND" | "SESSION_NOT_FOUND" | "EMAIL_TAKEN" | "USERNAME_TAKEN" | "EXTERNAL_ID_TAKEN" | "GROUP_EXISTS" | "MEMBER_EXISTS" | "NAME_TAKEN" | "SLUG_TAKEN" | "OPERATOR_FROM_PROVIDER" | "REQUEST_NOT_REPLAYABLE" | "IDEMPOTENCY_CONFLICT" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METHOD_NOT_ALLOWED" | "EXPECTATION_FAILED" | "RATE_LIMITED" | "INTERNAL" | "NOT_IMPLEMENTED" | "UNAVAILABLE" | "REMOVALS_HELD";
      readonly details?: readonly components["schemas"]["ErrorDetail"][];
      readonly request_id?: string;
    };
    /** @description Group */
    readonly ScimGroup: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly id: string;
      readonly externalId?: string;
      readonly meta?: {
        readonly resourceType?: string;
        /** Format: date-time */
        readonly created?: string;
        /** Format: date-time */
        readonly lastModified?: string;
        readonly location?: string;
        readonly version?: string;
      };
      /** @description A human-readable name for the Group. REQUIRED. */
      readonly displayName?: string;
      /** @description The users in the group; groups cannot be nested. */
      readonly members?: readonly {
        /** @description Identifier of the member of this Group. */
        readonly value?: string;
        /** @description Human-readable name of the member of this Group. */
        readonly display?: string;
        /** @description The URI corresponding to a SCIM resource that is a member of this Group. */
        readonly $ref?: string;
        /** @description A label indicating the type of resource, e.g., 'User' or 'Group'. Usual values: User. */
        readonly type?: string;
      }[];
    };
    /** @description Group */
    readonly ScimGroupInput: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly externalId?: string;
      /** @description A human-readable name for the Group. REQUIRED. */
      readonly displayName: string;
      /** @description The users in the group; groups cannot be nested. */
      readonly members?: readonly {
        /** @description Identifier of the member of this Group. */
        readonly value: string;
        /** @description The URI corresponding to a SCIM resource that is a member of this Group. */
        readonly $ref?: string;
        /** @description A label indicating the type of resource, e.g., 'User' or 'Group'. Usual values: User. */
        readonly type?: string;
      }[];
    };
    /** @description A page of resources (RFC 7644, section 3.4.2). */
    readonly ScimGroupList: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Number of matching resources. */
      readonly totalResults: number;
      /** @description Number of resources on this page. */
      readonly itemsPerPage: number;
      /** @description 1-based index of the first resource. */
      readonly startIndex?: number;
      /** @description `cursor` of the next page (RFC 9865). */
      readonly nextCursor?: string;
      /** @description `cursor` of the previous page (RFC 9865). */
      readonly previousCursor?: string;
      readonly Resources: readonly components["schemas"]["ScimGroup"][];
    };
    /**
     * @description Changes to a resource, applied in order (RFC 7644, section 3.5.2).
     * @example {
     *     "schemas": [
     *     "urn:ietf:params:scim:api:messages:2.0:PatchOp"
     *     ],
     *     "Operations": [
     *     {
     *       "op": "replace",
     *       "path": "displayName",
     *       "value": "Ada Lovelace"
     *     }
     *     ]
     *   }
     */
    readonly ScimPatchRequest: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly Operations: readonly {
        /** @description `add`, `remove` or `replace`; case-insensitive. */
        readonly op: string;
        /** @description Attribute path (RFC 7644, section 3.5.2). */
        readonly path?: string;
        /** @description Any JSON value. */
        readonly value?: unknown;
      }[];
    };
    /** @description A page of resources (RFC 7644, section 3.4.2). */
    readonly ScimResourceList: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Number of matching resources. */
      readonly totalResults: number;
      /** @description Number of resources on this page. */
      readonly itemsPerPage: number;
      /** @description 1-based index of the first resource. */
      readonly startIndex?: number;
      /** @description `cursor` of the next page (RFC 9865). */
      readonly nextCursor?: string;
      /** @description `cursor` of the previous page (RFC 9865). */
      readonly previousCursor?: string;
      readonly Resources: readonly (components["schemas"]["ScimUser"] | components["schemas"]["ScimGroup"])[];
    };
    /** @description A type of resource (RFC 7643, section 6). */
    readonly ScimResourceType: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly id?: string;
      readonly name: string;
      readonly description?: string;
      readonly endpoint: string;
      readonly schema: string;
      readonly schemaExtensions?: readonly {
        readonly schema?: string;
        readonly required?: boolean;
      }[];
      readonly meta?: Record<string, never>;
    };
    /** @description A page of resources (RFC 7644, section 3.4.2). */
    readonly ScimResourceTypeList: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Number of matching resources. */
      readonly totalResults: number;
      /** @description Number of resources on this page. */
      readonly itemsPerPage: number;
      /** @description 1-based index of the first resource. */
      readonly startIndex?: number;
      /** @description `cursor` of the next page (RFC 9865). */
      readonly nextCursor?: string;
      /** @description `cursor` of the previous page (RFC 9865). */
      readonly previousCursor?: string;
      readonly Resources: readonly components["schemas"]["ScimResourceType"][];
    };
    /** @description The attributes of a type of resource (RFC 7643, section 7). */
    readonly ScimSchema: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description URN of the schema. */
      readonly id: string;
      readonly name?: string;
      readonly description?: string;
      readonly attributes: readonly Record<string, never>[];
      readonly meta?: Record<string, never>;
    };
    /** @description A page of resources (RFC 7644, section 3.4.2). */
    readonly ScimSchemaList: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Number of matching resources. */
      readonly totalResults: number;
      /** @description Number of resources on this page. */
      readonly itemsPerPage: number;
      /** @description 1-based index of the first resource. */
      readonly startIndex?: number;
      /** @description `cursor` of the next page (RFC 9865). */
      readonly nextCursor?: string;
      /** @description `cursor` of the previous page (RFC 9865). */
      readonly previousCursor?: string;
      readonly Resources: readonly components["schemas"]["ScimSchema"][];
    };
    /**
     * @description A query in a body (RFC 7644, section 3.4.3).
     * @example {
     *     "schemas": [
     *     "urn:ietf:params:scim:api:messages:2.0:SearchRequest"
     *     ],
     *     "filter": "displayName eq \"Ada Lovelace\""
     *   }
     */
    readonly ScimSearchRequest: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Filter expression (RFC 7644, section 3.4.2.2). */
      readonly filter?: string;
      /** @description 1-based index of the first result. */
      readonly startIndex?: number;
      /** @description Maximum number of results per page. */
      readonly count?: number;
      /** @description Cursor pagination (RFC 9865): empty for the first page. */
      readonly cursor?: string;
      readonly sortBy?: string;
      /** @enum {string} */
      readonly sortOrder?: "ascending" | "descending";
      /** @description Return only these attributes. */
      readonly attributes?: readonly string[];
      /** @description Omit these attributes. */
      readonly excludedAttributes?: readonly string[];
    };
    /** @description Supported features and their limits (RFC 7643, section 5). */
    readonly ScimServiceProviderConfig: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly patch: {
        readonly supported: boolean;
      };
      readonly bulk: {
        readonly supported: boolean;
        /** @description Maximum number of operations per request. */
        readonly maxOperations?: number;
        /** @description Maximum request size in bytes. */
        readonly maxPayloadSize?: number;
      };
      readonly filter: {
        readonly supported: boolean;
        /** @description Maximum number of resources per page. */
        readonly maxResults?: number;
      };
      readonly changePassword?: {
        readonly supported: boolean;
      };
      readonly sort: {
        readonly supported: boolean;
      };
      readonly etag: {
        readonly supported: boolean;
      };
      /** @description Supported pagination methods (RFC 9865, section 4). */
      readonly pagination?: {
        readonly cursor?: boolean;
        readonly index?: boolean;
        readonly defaultPaginationMethod?: string;
        readonly defaultPageSize?: number;
        readonly maxPageSize?: number;
      };
      readonly authenticationSchemes: readonly Record<string, never>[];
      readonly meta?: Record<string, never>;
    };
    /** @description User Account */
    readonly ScimUser: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly id: string;
      readonly externalId?: string;
      readonly meta?: {
        readonly resourceType?: string;
        /** Format: date-time */
        readonly created?: string;
        /** Format: date-time */
        readonly lastModified?: string;
        readonly location?: string;
        readonly version?: string;
      };
      /** @description Unique identifier for the User, typically used by the user to directly authenticate to the service provider. Each User MUST include a non-empty userName value. This identifier MUST be unique across the service provider's entire set of Users. REQUIRED. */
      readonly userName?: string;
      /** @description The components of the user's real name. Providers MAY return just the full name as a single string in the formatted sub-attribute, or they MAY return just the individual component attributes using the other sub-attributes, or they MAY return both. If both variants are returned, they SHOULD be describing the same name, with the formatted name indicating how the component attributes should be combined. */
      readonly name?: {
        /** @description The full name, including all middle names, titles, and suffixes as appropriate, formatted for display (e.g. 'Ms. Barbara J Jensen, III'). */
        readonly formatted?: string;
        /** @description The family name of the User, or last name in most Western languages (e.g. 'Jensen' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly familyName?: string;
        /** @description The given name of the User, or first name in most Western languages (e.g. 'Barbara' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly givenName?: string;
        /** @description The middle name(s) of the User (e.g. 'Jane' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly middleName?: string;
        /** @description The honorific prefix(es) of the User, or title in most Western languages (e.g. 'Ms.' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly honorificPrefix?: string;
        /** @description The honorific suffix(es) of the User, or suffix in most Western languages (e.g. 'III' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly honorificSuffix?: string;
      };
      /** @description The name of the User, suitable for display to end-users. The name SHOULD be the full name of the User being described, if known. */
      readonly displayName?: string;
      /** @description The casual way to address the user in real life, e.g. 'Bob' or 'Bobby' instead of 'Robert'. This attribute SHOULD NOT be used to represent a User's username (e.g. 'bjensen' or 'mpepperidge'). */
      readonly nickName?: string;
      /** @description A fully qualified URL pointing to a page representing the User's online profile. */
      readonly profileUrl?: string;
      /** @description The user's title, such as 'Vice President'. */
      readonly title?: string;
      /** @description Used to identify the relationship between the organization and the user. Typical values used might be 'Contractor', 'Employee', 'Intern', 'Temp', 'External', and 'Unknown', but any value may be used. */
      readonly userType?: string;
      /** @description Indicates the User's preferred written or spoken language. Generally used for selecting a localized user interface; e.g. 'en_US' specifies the language English and country US. */
      readonly preferredLanguage?: string;
      /** @description Used to indicate the User's default location for purposes of localizing items such as currency, date time format, or numerical representations. */
      readonly locale?: string;
      /** @description The User's time zone in the 'Olson' time zone database format, e.g. 'America/Los_Angeles'. */
      readonly timezone?: string;
      /** @description A Boolean value indicating the User's administrative status. */
      readonly active?: boolean;
      /** @description Email addresses for the user. The value SHOULD be canonicalized by the service provider, e.g. 'bjensen@example.com' instead of 'bjensen@EXAMPLE.COM'. Canonical type values of 'work', 'home', and 'other'. */
      readonly emails?: readonly {
        /** @description Email addresses for the user. The value SHOULD be canonicalized by the service provider, e.g. 'bjensen@example.com' instead of 'bjensen@EXAMPLE.COM'. Canonical type values of 'work', 'home', and 'other'. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'work' or 'home'. Usual values: work, home, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred mailing address or primary email address. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description Phone numbers for the User. The value SHOULD be canonicalized by the service provider according to the format specified in RFC 3966, e.g. 'tel:+1-201-555-0123'. Canonical type values of 'work', 'home', 'mobile', 'fax', 'pager', and 'other'. */
      readonly phoneNumbers?: readonly {
        /** @description Phone number of the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'work', 'home', 'mobile'. Usual values: work, home, mobile, fax, pager, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred phone number or primary phone number. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description Instant messaging addresses for the User. */
      readonly ims?: readonly {
        /** @description Instant messaging address for the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'aim', 'gtalk', 'xmpp'. Usual values: aim, gtalk, icq, xmpp, msn, skype, qq, yahoo. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred messenger or primary messenger. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description URLs of photos of the User. */
      readonly photos?: readonly {
        /** @description URL of a photo of the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, i.e., 'photo' or 'thumbnail'. Usual values: photo, thumbnail. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred photo or thumbnail. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A physical mailing address for this User. Canonical type values of 'work', 'home', and 'other'. This attribute is a complex type with the following sub-attributes. */
      readonly addresses?: readonly {
        /** @description The full mailing address, formatted for display or use with a mailing label. This attribute MAY contain newlines. */
        readonly formatted?: string;
        /** @description The full street address component, which may include house number, street name, P.O. box, and multi-line extended street address information. This attribute MAY contain newlines. */
        readonly streetAddress?: string;
        /** @description The city or locality component. */
        readonly locality?: string;
        /** @description The state or region component. */
        readonly region?: string;
        /** @description The zip code or postal code component. */
        readonly postalCode?: string;
        /** @description The country name component. */
        readonly country?: string;
        /** @description A label indicating the attribute's function, e.g. 'work' or 'home'. Usual values: work, home, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred mailing address or primary email address. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A list of groups to which the user belongs, either through direct membership, through nested groups, or dynamically calculated. */
      readonly groups?: readonly {
        /** @description The identifier of the User's group. */
        readonly value?: string;
        /** @description The URI of the corresponding 'Group' resource to which the user belongs. */
        readonly $ref?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'direct' or 'indirect'. Usual values: direct, indirect. */
        readonly type?: string;
      }[];
      /** @description A list of entitlements for the User that represent a thing the User has. */
      readonly entitlements?: readonly {
        /** @description The value of an entitlement. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description The effective role, from the role mappings and the organisation's default role. */
      readonly roles?: readonly {
        /** @description The value of a role. */
        readonly value?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A list of certificates issued to the User. */
      readonly x509Certificates?: readonly {
        /** @description The value of an X.509 certificate. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      readonly "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"?: components["schemas"]["ScimEnterpriseUser"];
    };
    /** @description User Account */
    readonly ScimUserInput: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      readonly externalId?: string;
      /** @description Unique identifier for the User, typically used by the user to directly authenticate to the service provider. Each User MUST include a non-empty userName value. This identifier MUST be unique across the service provider's entire set of Users. REQUIRED. */
      readonly userName: string;
      /** @description The components of the user's real name. Providers MAY return just the full name as a single string in the formatted sub-attribute, or they MAY return just the individual component attributes using the other sub-attributes, or they MAY return both. If both variants are returned, they SHOULD be describing the same name, with the formatted name indicating how the component attributes should be combined. */
      readonly name?: {
        /** @description The full name, including all middle names, titles, and suffixes as appropriate, formatted for display (e.g. 'Ms. Barbara J Jensen, III'). */
        readonly formatted?: string;
        /** @description The family name of the User, or last name in most Western languages (e.g. 'Jensen' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly familyName?: string;
        /** @description The given name of the User, or first name in most Western languages (e.g. 'Barbara' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly givenName?: string;
        /** @description The middle name(s) of the User (e.g. 'Jane' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly middleName?: string;
        /** @description The honorific prefix(es) of the User, or title in most Western languages (e.g. 'Ms.' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly honorificPrefix?: string;
        /** @description The honorific suffix(es) of the User, or suffix in most Western languages (e.g. 'III' given the full name 'Ms. Barbara J Jensen, III'). */
        readonly honorificSuffix?: string;
      };
      /** @description The name of the User, suitable for display to end-users. The name SHOULD be the full name of the User being described, if known. */
      readonly displayName?: string;
      /** @description The casual way to address the user in real life, e.g. 'Bob' or 'Bobby' instead of 'Robert'. This attribute SHOULD NOT be used to represent a User's username (e.g. 'bjensen' or 'mpepperidge'). */
      readonly nickName?: string;
      /** @description A fully qualified URL pointing to a page representing the User's online profile. */
      readonly profileUrl?: string;
      /** @description The user's title, such as 'Vice President'. */
      readonly title?: string;
      /** @description Used to identify the relationship between the organization and the user. Typical values used might be 'Contractor', 'Employee', 'Intern', 'Temp', 'External', and 'Unknown', but any value may be used. */
      readonly userType?: string;
      /** @description Indicates the User's preferred written or spoken language. Generally used for selecting a localized user interface; e.g. 'en_US' specifies the language English and country US. */
      readonly preferredLanguage?: string;
      /** @description Used to indicate the User's default location for purposes of localizing items such as currency, date time format, or numerical representations. */
      readonly locale?: string;
      /** @description The User's time zone in the 'Olson' time zone database format, e.g. 'America/Los_Angeles'. */
      readonly timezone?: string;
      /** @description A Boolean value indicating the User's administrative status. */
      readonly active?: boolean;
      /** @description The User's cleartext password. This attribute is intended to be used as a means to specify an initial password when creating a new User or to reset an existing User's password. */
      readonly password?: string;
      /** @description Email addresses for the user. The value SHOULD be canonicalized by the service provider, e.g. 'bjensen@example.com' instead of 'bjensen@EXAMPLE.COM'. Canonical type values of 'work', 'home', and 'other'. */
      readonly emails?: readonly {
        /** @description Email addresses for the user. The value SHOULD be canonicalized by the service provider, e.g. 'bjensen@example.com' instead of 'bjensen@EXAMPLE.COM'. Canonical type values of 'work', 'home', and 'other'. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'work' or 'home'. Usual values: work, home, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred mailing address or primary email address. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description Phone numbers for the User. The value SHOULD be canonicalized by the service provider according to the format specified in RFC 3966, e.g. 'tel:+1-201-555-0123'. Canonical type values of 'work', 'home', 'mobile', 'fax', 'pager', and 'other'. */
      readonly phoneNumbers?: readonly {
        /** @description Phone number of the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'work', 'home', 'mobile'. Usual values: work, home, mobile, fax, pager, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred phone number or primary phone number. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description Instant messaging addresses for the User. */
      readonly ims?: readonly {
        /** @description Instant messaging address for the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, e.g. 'aim', 'gtalk', 'xmpp'. Usual values: aim, gtalk, icq, xmpp, msn, skype, qq, yahoo. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred messenger or primary messenger. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description URLs of photos of the User. */
      readonly photos?: readonly {
        /** @description URL of a photo of the User. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function, i.e., 'photo' or 'thumbnail'. Usual values: photo, thumbnail. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred photo or thumbnail. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A physical mailing address for this User. Canonical type values of 'work', 'home', and 'other'. This attribute is a complex type with the following sub-attributes. */
      readonly addresses?: readonly {
        /** @description The full mailing address, formatted for display or use with a mailing label. This attribute MAY contain newlines. */
        readonly formatted?: string;
        /** @description The full street address component, which may include house number, street name, P.O. box, and multi-line extended street address information. This attribute MAY contain newlines. */
        readonly streetAddress?: string;
        /** @description The city or locality component. */
        readonly locality?: string;
        /** @description The state or region component. */
        readonly region?: string;
        /** @description The zip code or postal code component. */
        readonly postalCode?: string;
        /** @description The country name component. */
        readonly country?: string;
        /** @description A label indicating the attribute's function, e.g. 'work' or 'home'. Usual values: work, home, other. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute, e.g. the preferred mailing address or primary email address. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A list of entitlements for the User that represent a thing the User has. */
      readonly entitlements?: readonly {
        /** @description The value of an entitlement. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      /** @description A list of certificates issued to the User. */
      readonly x509Certificates?: readonly {
        /** @description The value of an X.509 certificate. */
        readonly value?: string;
        /** @description A human-readable name, primarily used for display purposes. READ-ONLY. */
        readonly display?: string;
        /** @description A label indicating the attribute's function. */
        readonly type?: string;
        /** @description A Boolean value indicating the 'primary' or preferred attribute value for this attribute. The primary attribute value 'true' MUST appear no more than once. */
        readonly primary?: boolean;
      }[];
      readonly "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"?: components["schemas"]["ScimEnterpriseUser"];
    };
    /** @description A page of resources (RFC 7644, section 3.4.2). */
    readonly ScimUserList: {
      /** @description URNs of the schemas that describe this document. */
      readonly schemas: readonly string[];
      /** @description Number of matching resources. */
      readonly totalResults: number;
      /** @description Number of resources on this page. */
      readonly itemsPerPage: number;
      /** @description 1-based index of the first resource. */
      readonly startIndex?: number;
      /** @description `cursor` of the next page (RFC 9865). */
      readonly nextCursor?: string;
      /** @description `cursor` of the previous page (RFC 9865). */
      readonly previousCursor?: string;
      readonly Resources: readonly components["schemas"]["ScimUser"][];
    };
    /**
     * @example {
     *     "results": [
     *     {
     *       "kind": "user",
     *       "id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *       "title": "Ada Lovelace",
     *       "subtitle": "ada@example.com"
     *     }
     *     ]
     *   }
     */
    readonly SearchResults: {
      readonly results: readonly {
        /** @description `user`, `room`, `group`, `sms_list`, `role_mapping`, `api_key`, `command`, or what a plugin names. */
        readonly kind: string;
        /** @description The object's id, by which the API knows it. */
        readonly id: string;
        readonly title: string;
        /** @description Distinguishes objects with the same title. */
        readonly subtitle: string;
      }[];
    };
    /**
     * @description Default: `{}`.
     * @example {
     *     "overlap_hours": 48,
     *     "switch": "after_overlap"
     *   }
     */
    readonly SecretRotation: {
      /** @description The new secret. Generated if omitted. */
      readonly secret?: string;
      /** @description How long both secrets sign. With 0, only the new secret signs. Default: `24`. */
      readonly overlap_hours?: number;
      /**
       * @description When the new secret signs `X-Service-Signature`: at once (the old one then signs `X-Service-Signature-Previous`), or after the overlap (until then it signs `X-Service-Signature-Next`). Default: `"now"`.
       * @enum {string}
       */
      readonly switch?: "now" | "after_overlap";
    };
    readonly SessionOfOperator: {
      /**
       * Format: uuid
       * @description The session's id.
       */
      readonly id: string;
      /**
       * @description How they signed in.
       * @enum {string}
       */
      readonly by: "link" | "oidc";
      /**
       * Format: date-time
       * @description When they signed in.
       */
      readonly created_at: string;
      readonly authenticated_at: string | null;
      /**
       * Format: date-time
       * @description When it was last used, accurate to a minute.
       */
      readonly last_seen_at: string;
      /**
       * Format: date-time
       * @description When it ends unless it is used.
       */
      readonly expires_at: string;
      readonly user_agent: string | null;
      /** @description The session of this request. */
      readonly is_current: boolean;
    };
    readonly SessionsOfOperator: {
      readonly sessions: readonly components["schemas"]["SessionOfOperator"][];
    };
    /**
     * @example {
     *     "url": "https://gateway.example.com/dashboard/t/acme/setup#…",
     *     "expires_at": "2026-02-03T12:00:00.000Z"
     *   }
     */
    readonly SetupLink: {
      /** @description Send it to the administrator of the customer only. */
      readonly url: string;
      /**
       * Format: date-time
       * @description When it stops working.
       */
      readonly expires_at: string;
    };
    /**
     * @example {
     *     "scim_url": "https://provisioning.example.com/v1/acme/scim/v2",
     *     "provider": "okta",
     *     "steps": [
     *     {
     *       "id": "key",
     *       "state": "done",
     *       "at": "2026-01-31T12:00:00.000Z",
     *       "detail": "The API key \"Okta\"."
     *     },
     *     {
     *       "id": "first_request",
     *       "state": "waiting",
     *       "at": null,
     *       "detail": "Enter the base URL and the API key there, and test the connection."
     *     }
     *     ],
     *     "last_error": null
     *   }
     */
    readonly SetupProgress: {
      /** @description The base URL to enter at the identity provider. */
      readonly scim_url: string;
      /** @description Of the setup link; null for operators. */
      readonly provider: string | null;
      readonly steps: readonly {
        /** @enum {string} */
        readonly id: "key" | "first_request" | "test_user_lookup" | "first_user" | "first_group" | "deactivation";
        /**
         * @description `failed`: it was tried, and refused.
         * @enum {string}
         */
        readonly state: "done" | "waiting" | "failed";
        readonly at: string | null;
        /** @description What happened, or what to do. */
        readonly detail: string;
      }[];
      /** @description The last refused command of the key; null if its last command succeeded. */
      readonly last_error: {
        /**
         * Format: date-time
         * @description When the command was refused.
         */
        readonly at: string;
        readonly error: string;
        readonly message: string;
        /**
         * Format: uuid
         * @description The command's id in the provisioning log.
         */
        readonly command_id: string;
      } | null;
    };
    /**
     * @example {
     *     "link": "…"
     *   }
     */
    readonly SetupSignIn: {
      /** @description The part of the link after `#`. */
      readonly link: string;
    };
    /**
     * @example {
     *     "admin_token": "rgadm_…"
     *   }
     */
    readonly SignIn: {
      readonly admin_token?: string;
      /** @description With `admin_token`, in the session of an owner: they stay signed in as themselves. */
      readonly step_up?: boolean;
      /** @description The part of a sign-in or setup link after `#`. */
      readonly link?: string;
      /** @description With the first setup link: the name of the owner. */
      readonly name?: string;
      /** @description With the first setup link. */
      readonly email?: string | null;
    };
    /**
     * @example {
     *     "url": "https://gateway.example.com/dashboard/sign-in#…",
     *     "expires_at": "2026-02-01T12:00:00.000Z"
     *   }
     */
    readonly SignInLink: {
      readonly url: string;
      /**
       * Format: date-time
       * @description When it stops working.
       */
      readonly expires_at: string;
    };
    /**
     * @example {
     *     "id": "8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f",
     *     "name": "Night shift",
     *     "external_id": "roster-7",
     *     "valid_from": null,
     *     "valid_until": "2027-01-01T00:00:00.000Z",
     *     "member_count": 12,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "updated_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly SmsList: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly id: string;
      readonly name: string;
      readonly external_id: string | null;
      readonly valid_from: string | null;
      readonly valid_until: string | null;
      readonly member_count: number;
      /**
       * Format: date-time
       * @description When the list was created.
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When the list or its members were last changed.
       */
      readonly updated_at: string;
    };
    /**
     * @example {
     *     "valid_until": null
     *   }
     */
    readonly SmsListChanges: {
      /** @description Unique among the tenant's SMS lists, ignoring case. */
      readonly name?: string;
      /** @description Unique if set. */
      readonly external_id?: string | null;
      /** @description Start of the validity window, inclusive. Null or omitted: no start. */
      readonly valid_from?: string | null;
      /** @description End of the validity window, exclusive. Null or omitted: no end. */
      readonly valid_until?: string | null;
    };
    /** @description An SMS list was created. */
    readonly SmsListCreatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "sms_list.created";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly list: components["schemas"]["EventSmsList"];
        /** @description Id of the API key that made the change; null for an operator or a connector. */
        readonly api_key_id: string | null;
      };
    };
    /** @description An SMS list and its members were deleted. */
    readonly SmsListDeletedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "sms_list.deleted";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly list: components["schemas"]["EventSmsList"];
        /** @description Id of the API key that made the change; null for an operator or a connector. */
        readonly api_key_id: string | null;
      };
    };
    readonly SmsListList: {
      readonly sms_lists: readonly components["schemas"]["SmsList"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /** @description Members were added to an SMS list or updated. */
    readonly SmsListMembersAddedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "sms_list.members_added";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly list: components["schemas"]["EventSmsList"];
        /** @description Id of the API key that made the change; null for an operator or a connector. */
        readonly api_key_id: string | null;
        readonly added: number;
        readonly updated: number;
      };
    };
    /** @description Members were removed from an SMS list. */
    readonly SmsListMembersRemovedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "sms_list.members_removed";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly list: components["schemas"]["EventSmsList"];
        /** @description Id of the API key that made the change; null for an operator or a connector. */
        readonly api_key_id: string | null;
        readonly removed: number;
      };
    };
    /** @description An SMS list was changed. */
    readonly SmsListUpdatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "sms_list.updated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly list: components["schemas"]["EventSmsList"];
        /** @description Id of the API key that made the change; null for an operator or a connector. */
        readonly api_key_id: string | null;
        /** @description Names of the changed attributes. */
        readonly changed: readonly string[];
      };
    };
    /**
     * @example {
     *     "id": "3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f",
     *     "phone_number": "+4915123456789",
     *     "display_name": "Ada Lovelace",
     *     "valid_from": null,
     *     "valid_until": null,
     *     "created_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly SmsMember: {
      /**
       * Format: uuid
       * @description The member's id.
       */
      readonly id: string;
      /** @description E.164; masked for operators: `+49•••••••89`. */
      readonly phone_number: string;
      readonly display_name: string | null;
      readonly valid_from: string | null;
      readonly valid_until: string | null;
      /**
       * Format: date-time
       * @description When the number was added to the list.
       */
      readonly created_at: string;
    };
    readonly SmsMemberList: {
      readonly members: readonly components["schemas"]["SmsMember"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "members": [
     *     {
     *       "phone_number": "+4915123456789",
     *       "display_name": "Ada Lovelace"
     *     }
     *     ]
     *   }
     */
    readonly SmsMembers: {
      readonly members: readonly components["schemas"]["NewSmsMember"][];
    };
    /**
     * @example {
     *     "phone_numbers": [
     *     "+4915123456789"
     *     ]
     *   }
     */
    readonly SmsNumbers: {
      readonly phone_numbers: readonly string[];
    };
    readonly SmsRecipientList: {
      readonly recipients: readonly components["schemas"]["SmsMember"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "list_id": "8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f",
     *     "members_removed": 2
     *   }
     */
    readonly SmsRemoval: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      readonly members_removed: number;
    };
    /**
     * @example {
     *     "list_id": "8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f",
     *     "members_added": 3,
     *     "members_updated": 1,
     *     "members_removed": 2
     *   }
     */
    readonly SmsReplacement: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      /** @description New numbers on the list. */
      readonly members_added: number;
      /** @description Members with a changed display name or validity window. */
      readonly members_updated: number;
      readonly members_removed: number;
    };
    /**
     * @example {
     *     "list_id": "8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f",
     *     "members_added": 3,
     *     "members_updated": 1
     *   }
     */
    readonly SmsUpsert: {
      /**
       * Format: uuid
       * @description The list's id.
       */
      readonly list_id: string;
      /** @description New numbers on the list. */
      readonly members_added: number;
      /** @description Members with a changed display name or validity window. */
      readonly members_updated: number;
    };
    /**
     * @example {
     *     "version": "0.1.0",
     *     "node": "20.20.2",
     *     "started_at": "2026-01-31T12:00:00.000Z",
     *     "instances": [
     *     {
     *       "id": "3d1f6c52-8b5b-4f0e-9a54-0c6a1f5d2b7e",
     *       "host": "gateway-1",
     *       "version": "0.1.0",
     *       "started_at": "2026-01-31T12:00:00.000Z",
     *       "heartbeat_at": "2026-01-31T12:30:00.000Z",
     *       "is_this": true
     *     }
     *     ],
     *     "database": {
     *     "version": "8.0.4",
     *     "kind": "external",
     *     "replica_set": "rs0",
     *     "members": [
     *       "db-1:27017",
     *       "db-2:27017",
     *       "db-3:27017"
     *     ],
     *     "ping_ms": 1.2
     *     },
     *     "checks": [
     *     {
     *       "id": "database",
     *       "title": "Database",
     *       "status": "ok",
     *       "message": "It responded in 1.2 ms.",
     *       "action": null
     *     }
     *     ]
     *   }
     */
    readonly System: {
      /** @description Of this gateway. */
      readonly version: string;
      /** @description Version of Node.js. */
      readonly node: string;
      /**
       * Format: date-time
       * @description When this gateway started.
       */
      readonly started_at: string;
      /** @description The gateways of this database, oldest first. */
      readonly instances: readonly {
        readonly id: string;
        readonly host: string | null;
        readonly version: string | null;
        /**
         * Format: date-time
         * @description When it started.
         */
        readonly started_at: string;
        /**
         * Format: date-time
         * @description Its last heartbeat; one is sent every second.
         */
        readonly heartbeat_at: string;
        /** @description Whether it responds to this request. */
        readonly is_this: boolean;
      }[];
      readonly database: {
        readonly version: string;
        /** @enum {string} */
        readonly kind: "embedded" | "external";
        /** @description Null for a sharded cluster. */
        readonly replica_set: string | null;
        readonly members: readonly string[];
        /** @description How long it took to respond. */
        readonly ping_ms: number;
      };
      readonly checks: readonly {
        /** @description Stable, for programs. */
        readonly id: string;
        readonly title: string;
        /** @enum {string} */
        readonly status: "ok" | "warn" | "fail";
        readonly message: string;
        /** @description What to do; null if there is nothing to do. */
        readonly action: string | null;
      }[];
    };
    /**
     * @example {
     *     "id": "9d2b7f6a-1c3d-4e5f-8a9b-0c1d2e3f4a5b",
     *     "slug": "acme",
     *     "name": "Acme Dispatch",
     *     "seat_capacity": 50,
     *     "default_role": "member",
     *     "room_provisioning": "manual",
     *     "default_country": "DE",
     *     "scim": {
     *     "put_without_members": "clear",
     *     "strict_errors": false,
     *     "max_removals_per_hour": null
     *     },
     *     "created_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly Tenant: {
      /**
       * Format: uuid
       * @description The tenant's id.
       */
      readonly id: string;
      /** @description Part of the tenant's base URL; cannot be changed. */
      readonly slug: string;
      readonly name: string;
      /** @description Maximum number of active users; null: no limit. */
      readonly seat_capacity: number | null;
      /** @description Role of users without a role mapping. */
      readonly default_role: string;
      /**
       * @description What creating a SCIM group without a matching room does: `manual` returns ROOM_NOT_FOUND, `automatic` creates the room.
       * @enum {string}
       */
      readonly room_provisioning: "manual" | "automatic";
      /** @description Country of phone numbers without a country code, on SMS lists. Null: a country code is required. */
      readonly default_country: string | null;
      /** @description SCIM settings. */
      readonly scim: {
        /**
         * @description What a SCIM PUT of a group without `members` does: remove all members, or keep them.
         * @enum {string}
         */
        readonly put_without_members: "clear" | "keep";
        /** @description If true, SCIM error bodies have only the attributes of RFC 7644: no `error`, `details` or `request_id`. */
        readonly strict_errors: boolean;
        /** @description How many users an API key may deactivate or delete, and members remove from groups, by SCIM within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator allows them. Null: any number. */
        readonly max_removals_per_hour: number | null;
      };
      /**
       * Format: date-time
       * @description When the tenant was created.
       */
      readonly created_at: string;
    };
    /**
     * @example {
     *     "seat_capacity": 80
     *   }
     */
    readonly TenantChanges: {
      readonly name?: string;
      readonly seat_capacity?: number | null;
      readonly default_role?: string;
      /**
       * @description What creating a SCIM group without a matching room does: `manual` returns ROOM_NOT_FOUND, `automatic` creates the room.
       * @enum {string}
       */
      readonly room_provisioning?: "manual" | "automatic";
      /** @description Country of phone numbers without a country code, on SMS lists. Null: a country code is required. */
      readonly default_country?: string | null;
      /** @description SCIM settings. Omitted settings do not change. */
      readonly scim?: {
        /**
         * @description What a SCIM PUT of a group without `members` does: remove all members, or keep them.
         * @enum {string}
         */
        readonly put_without_members?: "clear" | "keep";
        /** @description If true, SCIM error bodies have only the attributes of RFC 7644: no `error`, `details` or `request_id`. */
        readonly strict_errors?: boolean;
        /** @description How many users an API key may deactivate or delete, and members remove from groups, by SCIM within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator allows them. Null: any number. */
        readonly max_removals_per_hour?: number | null;
      };
    };
    readonly TenantList: {
      readonly tenants: readonly components["schemas"]["Tenant"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "seats": {
     *     "capacity": 50,
     *     "provisioned": 48,
     *     "available": 2
     *     },
     *     "users": {
     *     "total": 60,
     *     "active": 48
     *     },
     *     "rooms": {
     *     "total": 12,
     *     "mapped": 9
     *     },
     *     "identity_provider": {
     *     "key_id": "0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59",
     *     "description": "Okta",
     *     "last_request_at": "2026-01-31T12:00:00.000Z",
     *     "user_agent": "Okta SCIM Client 1.0.0"
     *     },
     *     "attention": [
     *     {
     *       "severity": "warning",
     *       "code": "SEATS_NEARLY_FULL",
     *       "message": "48 of 50 seats are taken.",
     *       "action": "Deactivate users, or raise the capacity with \"rollgate tenant update\".",
     *       "link": "users"
     *     }
     *     ],
     *     "webhooks": {
     *     "total": 0,
     *     "failing": 0
     *     },
     *     "connectors": {
     *     "total": 0,
     *     "held": 0,
     *     "failed": 0
     *     }
     *   }
     */
    readonly TenantOverview: {
      readonly webhooks: {
        /** @description Registrations. */
        readonly total: number;
        /** @description Active registrations without a successful delivery for an hour. */
        readonly failing: number;
      };
      readonly connectors: {
        /** @description Connectors. */
        readonly total: number;
        /** @description With a run that waits for approval. */
        readonly held: number;
        /** @description Unusable, quarantined, or with a failed last run. */
        readonly failed: number;
      };
      readonly seats: {
        /** @description Null: unlimited. */
        readonly capacity: number | null;
        /** @description Taken seats. */
        readonly provisioned: number;
        /** @description Free seats; null: unlimited. */
        readonly available: number | null;
      };
      readonly users: {
        readonly total: number;
        readonly active: number;
      };
      readonly rooms: {
        readonly total: number;
        /** @description With a SCIM group mapping, counted up to 10,000. */
        readonly mapped: number;
      };
      /** @description The API key with a SCIM scope that was used last; null if there is none. */
      readonly identity_provider: {
        /**
         * Format: uuid
         * @description The API key of the identity provider.
         */
        readonly key_id: string;
        readonly description: string;
        readonly last_request_at: string | null;
        readonly user_agent: string | null;
      } | null;
      /** @description Most severe first; empty: all is well. */
      readonly attention: readonly components["schemas"]["Attention"][];
    };
    /**
     * @example {
     *     "seat_capacity": 50,
     *     "seats_provisioned": 12,
     *     "seats_available": 38
     *   }
     */
    readonly Usage: {
      /** @description Maximum number of active users, or null. */
      readonly seat_capacity: number | null;
      /** @description Number of active users. */
      readonly seats_provisioned: number;
      /** @description Seats left, or null without a limit. */
      readonly seats_available: number | null;
    };
    /**
     * @example {
     *     "id": "6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f",
     *     "email": "ada@example.com",
     *     "display_name": "Ada Lovelace",
     *     "active": true,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "user_name": "ada@example.com",
     *     "external_id": "HR-1815",
     *     "role": "member",
     *     "updated_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly User: {
      /**
       * Format: uuid
       * @description The user's id.
       */
      readonly id: string;
      /** @description Null for a SCIM user without an e-mail address. */
      readonly email: string | null;
      readonly display_name: string;
      /** @description False after deactivation: the user cannot sign in. */
      readonly active: boolean;
      /**
       * Format: date-time
       * @description When the user was created.
       */
      readonly created_at: string;
      /** @description The SCIM userName; for users created over REST, the e-mail. */
      readonly user_name: string;
      /** @description The user's id in the client's system, or null. */
      readonly external_id: string | null;
      /** @description Role from a role mapping, else the tenant's default role. */
      readonly role: string;
      /**
       * Format: date-time
       * @description When the user was last changed.
       */
      readonly updated_at: string;
    };
    /**
     * @example {
     *     "active": false
     *   }
     */
    readonly UserChanges: {
      /** @description The user's name. */
      readonly display_name?: string;
      readonly active?: boolean;
    };
    /** @description A user was provisioned. */
    readonly UserCreatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "user.created";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly user: components["schemas"]["EventUser"];
      };
    };
    /** @description A user was deactivated. */
    readonly UserDeactivatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "user.deactivated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly user: components["schemas"]["EventUser"];
      };
    };
    /** @description A user was permanently deleted. */
    readonly UserDeletedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "user.deleted";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly user: components["schemas"]["EventUser"];
      };
    };
    readonly UserList: {
      readonly users: readonly components["schemas"]["User"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /** @description A deactivated user was reactivated. */
    readonly UserReactivatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "user.reactivated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly user: components["schemas"]["EventUser"];
      };
    };
    /**
     * @example {
     *     "id": "1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f",
     *     "name": "Dispatch",
     *     "tx_permission": true,
     *     "added_at": "2026-01-31T12:00:00.000Z"
     *   }
     */
    readonly UserRoom: {
      /**
       * Format: uuid
       * @description The room's id.
       */
      readonly id: string;
      readonly name: string;
      /** @description Whether the user may transmit in the room. */
      readonly tx_permission: boolean;
      /**
       * Format: date-time
       * @description When the user was added.
       */
      readonly added_at: string;
    };
    readonly UserRoomList: {
      readonly rooms: readonly components["schemas"]["UserRoom"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /** @description A user's attributes or role changed. */
    readonly UserUpdatedEvent: {
      /**
       * Format: uuid
       * @description The event's id.
       */
      readonly id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly event: "user.updated";
      /**
       * Format: uuid
       * @description The organisation's id.
       */
      readonly tenant_id: string;
      readonly tenant_slug: string;
      /**
       * Format: date-time
       * @description Time of the event.
       */
      readonly timestamp: string;
      /** @description Position in the organisation's log, gapless from 1. */
      readonly seq: number;
      readonly data: {
        readonly user: components["schemas"]["EventUser"];
        /** @description Names of the changed attributes. */
        readonly changed: readonly string[];
        /** @description The new role. Only if the role changed. */
        readonly role?: string;
        /** @description The previous role. Only if the role changed. */
        readonly previous_role?: string;
      };
    };
    /**
     * @example {
     *     "oidc": null,
     *     "signed_in": false,
     *     "setup_pending": false
     *   }
     */
    readonly WaysToSignIn: {
      /** @description The OpenID provider, if one is configured. */
      readonly oidc: {
        readonly name: string;
        readonly start_url: string;
      } | null;
      /** @description The cookie of this request belongs to a session. */
      readonly signed_in: boolean;
      /** @description No operator was created yet: the setup link creates the first one. */
      readonly setup_pending: boolean;
    };
    /**
     * @example {
     *     "id": "0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11",
     *     "url": "https://hooks.example.com/rollgate",
     *     "events": [
     *     "user.created",
     *     "user.deactivated"
     *     ],
     *     "status": "active",
     *     "description": "Badge system",
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "last_trigger_status": "success"
     *   }
     */
    readonly Webhook: {
      /**
       * Format: uuid
       * @description The registration's id.
       */
      readonly id: string;
      /**
       * Format: uri
       * @description The URL that deliveries are sent to.
       */
      readonly url: string;
      /** @description The subscribed events; `*` means all. */
      readonly events: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed" | "user.*" | "room.*" | "group.*" | "sms_list.*" | "*")[];
      /**
       * @description While disabled, events are dropped.
       * @enum {string}
       */
      readonly status: "active" | "disabled";
      readonly description: string | null;
      /**
       * Format: date-time
       * @description When the registration was created.
       */
      readonly created_at: string;
      /** @description Names of the additional headers; absent if there are none. Values are never returned. */
      readonly header_names?: readonly string[];
      /** @description Why the gateway disabled the registration; absent if it did not. */
      readonly disabled_reason?: string;
      /** @description The outcome of the most recent delivery attempt; null before the first. */
      readonly last_trigger_status: ("success" | "failed") | null;
    };
    /**
     * @example {
     *     "status": "disabled"
     *   }
     */
    readonly WebhookChanges: {
      /**
       * Format: uri
       * @description HTTPS only; loopback, private and metadata addresses are refused.
       */
      readonly url?: string;
      /** @description Event names, a family such as `room.*`, or `*` for all events. */
      readonly events?: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed" | "user.*" | "room.*" | "group.*" | "sms_list.*" | "*")[];
      /** @enum {string} */
      readonly status?: "active" | "disabled";
      /** @description A label for display. */
      readonly description?: string | null;
      /** @description Headers to add or replace, or to remove (null). Values are stored encrypted and never returned. */
      readonly headers?: {
        readonly [key: string]: string | null;
      };
    };
    /**
     * @example {
     *     "id": "5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b",
     *     "event": "user.created",
     *     "event_id": "0f0e0d0c-0b0a-4908-8706-050403020100",
     *     "seq": 42,
     *     "happened_at": "2026-01-31T12:00:00.000Z",
     *     "state": "pending",
     *     "next_attempt_at": "2026-01-31T12:00:35.412Z",
     *     "error": "The receiver responded with 503.",
     *     "attempts": [
     *     {
     *       "at": "2026-01-31T12:00:00.012Z",
     *       "duration_ms": 231,
     *       "status": 503,
     *       "fault": "status",
     *       "error": "The receiver responded with 503."
     *     }
     *     ]
     *   }
     */
    readonly WebhookDelivery: {
      /**
       * Format: uuid
       * @description The value of `X-Service-Delivery`.
       */
      readonly id: string;
      /** @enum {string} */
      readonly event: "user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed";
      /**
       * Format: uuid
       * @description The id in the envelope.
       */
      readonly event_id: string;
      /** @description The position of the event in the log. */
      readonly seq: number;
      /**
       * Format: date-time
       * @description When the event happened.
       */
      readonly happened_at: string;
      /**
       * @description `dropped`: the registration was disabled before the delivery.
       * @enum {string}
       */
      readonly state: "pending" | "delivered" | "failed" | "dropped";
      readonly next_attempt_at: string | null;
      /** @description Why it has not been delivered, if known. */
      readonly error: string | null;
      readonly attempts: readonly {
        /**
         * Format: date-time
         * @description When the attempt started.
         */
        readonly at: string;
        readonly duration_ms: number;
        /** @description The HTTP status of the response; null without a response. */
        readonly status: number | null;
        /** @description The kind of failure; null if the attempt succeeded or the kind is unknown. */
        readonly fault: ("status" | "blocked" | "url" | "dns" | "connect" | "tls" | "timeout" | "broken") | null;
        /** @description The failure as a message; null if the attempt succeeded. */
        readonly error: string | null;
      }[];
    };
    readonly WebhookDeliveryList: {
      readonly deliveries: readonly components["schemas"]["WebhookDelivery"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    readonly WebhookList: {
      readonly webhooks: readonly components["schemas"]["Webhook"][];
      /** @description Number of items on all pages. */
      readonly total: number;
      /** @description The applied limit; for a complete list, its number of items. */
      readonly limit: number;
      /** @description Number of items before this page. */
      readonly offset: number;
    };
    /**
     * @example {
     *     "id": "3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f",
     *     "since": "2026-01-31T10:00:00.000Z",
     *     "state": "running",
     *     "recovered": 500,
     *     "created_at": "2026-01-31T12:00:00.000Z",
     *     "finished_at": null
     *   }
     */
    readonly WebhookRecovery: {
      /**
       * Format: uuid
       * @description The id of the recovery.
       */
      readonly id: string;
      /**
       * Format: date-time
       * @description Deliveries that failed at or after this time are retried.
       */
      readonly since: string;
      /**
       * @description `stopped`: the registration was disabled or deleted.
       * @enum {string}
       */
      readonly state: "running" | "done" | "stopped";
      /** @description Number of deliveries queued again so far. */
      readonly recovered: number;
      /**
       * Format: date-time
       * @description When the recovery was requested.
       */
      readonly created_at: string;
      readonly finished_at: string | null;
    };
    /**
     * @example {
     *     "delivered": true,
     *     "status": 200,
     *     "body": "ok",
     *     "duration_ms": 42,
     *     "error": null
     *   }
     */
    readonly WebhookTestResult: {
      /** @description Whether the endpoint responded with a 2xx status. */
      readonly delivered: boolean;
      /** @description The HTTP status; null without a response. */
      readonly status: number | null;
      /** @description The response body, cut at 64 KiB; null without a response. */
      readonly body: string | null;
      /** @description Duration in milliseconds. */
      readonly duration_ms: number;
      /** @description Why there was no response; null if there was one. */
      readonly error: string | null;
    };
    /**
     * @example {
     *     "id": "5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b",
     *     "event": "user.created",
     *     "event_id": "0f0e0d0c-0b0a-4908-8706-050403020100",
     *     "seq": 42,
     *     "happened_at": "2026-01-31T12:00:00.000Z",
     *     "state": "pending",
     *     "next_attempt_at": "2026-01-31T12:00:35.412Z",
     *     "error": "The receiver responded with 503.",
     *     "attempts": [
     *     {
     *       "at": "2026-01-31T12:00:00.012Z",
     *       "duration_ms": 231,
     *       "status": 503,
     *       "fault": "status",
     *       "error": "The receiver responded with 503.",
     *       "request": {
     *       "url": "https://hooks.example.com/rollgate",
     *       "headers": {
     *         "X-Service-Event": "user.created",
     *         "X-Service-Signature": "***"
     *       }
     *       },
     *       "response": {
     *       "headers": {
     *         "retry-after": "30"
     *       },
     *       "body": "busy"
     *       }
     *     }
     *     ]
     *   }
     */
    readonly WholeWebhookDelivery: {
      /**
       * Format: uuid
       * @description The value of `X-Service-Delivery`.
       */
      readonly id: string;
      /** @enum {string} */
      readonly event: "user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed";
      /**
       * Format: uuid
       * @description The id in the envelope.
       */
      readonly event_id: string;
      /** @description The position of the event in the log. */
      readonly seq: number;
      /**
       * Format: date-time
       * @description When the event happened.
       */
      readonly happened_at: string;
      /**
       * @description `dropped`: the registration was disabled before the delivery.
       * @enum {string}
       */
      readonly state: "pending" | "delivered" | "failed" | "dropped";
      readonly next_attempt_at: string | null;
      /** @description Why it has not been delivered, if known. */
      readonly error: string | null;
      readonly attempts: readonly {
        /**
         * Format: date-time
         * @description When the attempt started.
         */
        readonly at: string;
        readonly duration_ms: number;
        /** @description The HTTP status of the response; null without a response. */
        readonly status: number | null;
        /** @description The kind of failure; null if the attempt succeeded or the kind is unknown. */
        readonly fault: ("status" | "blocked" | "url" | "dns" | "connect" | "tls" | "timeout" | "broken") | null;
        /** @description The failure as a message; null if the attempt succeeded. */
        readonly error: string | null;
        /** @description The request; signatures, values of your headers and the query are masked as `***`. */
        readonly request: {
          readonly url: string;
          readonly headers: {
            readonly [key: string]: string;
          };
        } | null;
        /** @description The response; null if there was none. */
        readonly response: {
          readonly headers: {
            readonly [key: string]: string;
          };
          /** @description The first 4 KiB; null if the attempt succeeded. */
          readonly body: string | null;
        } | null;
      }[];
    };
  };
  responses: {
    /** @description Not found. */
    readonly CommandNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly ConnectorDisabled: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly ConnectorDisabledOrConnectorPlanOutdated: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly ConnectorDisabledOrConnectorRunEnded: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly ConnectorDisabledOrConnectorRunning: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly ConnectorDisabledOrConnectorUnreachable: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly CsrfRejected: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly CsrfRejectedOrInsufficientRole: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly GroupExists: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly GroupNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly IdempotencyConflict: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly IdempotencyConflictOrEmailTakenOrUsernameTaken: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly IdempotencyConflictOrMemberExists: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly IdempotencyConflictOrNameTakenOrExternalIdTaken: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly IdempotencyConflictOrWebhookDisabled: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientRole: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientRoleOrCsrfRejected: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientRoleOrCsrfRejectedOrSeatCapacityReached: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientRoleOrCsrfRejectedOrStepUpRequired: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientScope: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientScopeOrSeatCapacityReached: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials do not allow this, or all seats are taken. */
    readonly InsufficientScopeOrStepUpRequired: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Internal server error. */
    readonly Internal: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request is not well-formed or not valid. */
    readonly InvalidRequest: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request is not well-formed or not valid. */
    readonly InvalidRequestOrInvalidFilter: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request is not well-formed or not valid. */
    readonly InvalidRequestOrInvalidJson: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly JobNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly MemberExists: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly NameTaken: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly NameTakenOrExternalIdTaken: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly NotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly OperatorFromProvider: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly OperatorNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly OperatorNotFoundOrSessionNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is too large. */
    readonly PayloadTooLarge: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The precondition failed. */
    readonly PreconditionFailed: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Too many requests. */
    readonly RateLimited: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "Retry-After": components["headers"]["Retry-After"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RequestNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly RequestNotReplayable: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrGroupNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrGroupNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrMemberNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrMemberNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrUserNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly RoomNotFoundOrUserNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly SlugTaken: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly SmsListNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly SmsListNotFoundOrMemberNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly SmsListNotFoundOrMemberNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly SmsListNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrApiKeyNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrConnectorNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrConnectorNotFoundOrConnectorRecordNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrJobNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrRoleMappingNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrRoomNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly TenantNotFoundOrUserNotFoundOrRoomNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials are missing or not valid. */
    readonly Unauthenticated: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Temporarily unavailable; retry after `Retry-After` seconds. */
    readonly Unavailable: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "Retry-After": components["headers"]["Retry-After"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is not JSON in UTF-8. */
    readonly UnsupportedMediaType: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly UserNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly UserNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Conflicts with the current state. */
    readonly WebhookDisabled: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFoundOrDeliveryNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFoundOrDeliveryNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFoundOrJobNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFoundOrJobNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Not found. */
    readonly WebhookNotFoundOrTenantNotFound: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request is not valid; `scimType` gives the reason. */
    readonly Scim400: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The API key is missing or not valid. */
    readonly Scim401: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The key lacks the required scope, or all seats are taken. */
    readonly Scim403: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description Not found. For `POST /Groups`: no room and no role mapping has this name. */
    readonly Scim404: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description Conflicts with another resource (`scimType: uniqueness`). */
    readonly Scim409: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The precondition failed. */
    readonly Scim412: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The body is too large, or has too many operations. */
    readonly Scim413: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The body is not JSON in UTF-8. */
    readonly Scim415: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description Too many requests. */
    readonly Scim429: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "Retry-After": components["headers"]["Retry-After"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description Internal server error. */
    readonly Scim500: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description Temporarily unavailable; retry after `Retry-After` seconds. */
    readonly Scim503: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "Retry-After": components["headers"]["Retry-After"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/scim+json": components["schemas"]["ScimError"];
      };
    };
    /** @description The preview of a dry run; nothing was applied. */
    readonly DryRun: {
      headers: {
        readonly "X-Request-Id": components["headers"]["X-Request-Id"];
        readonly "Preference-Applied": components["headers"]["Preference-Applied"];
        readonly [name: string]: unknown;
      };
      content: {
        readonly "application/json": components["schemas"]["DryRun"];
      };
    };
  };
  parameters: {
    /** @description The tenant's slug. */
    readonly tenantSlug: string;
    /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
    readonly idempotencyKey: string;
    /** @description ETags; 412 unless one matches. */
    readonly ifMatch: string;
    /** @description ETags; 412 if one matches. */
    readonly unlessMatch: string;
    /** @description Preview the result without applying it: 200 with a `DryRun`. */
    readonly dryRun: boolean;
    /**
     * @description `dry-run` does the same as `dry_run=true`.
     * @example dry-run
     */
    readonly prefer: string;
    /** @description ETags; 304 if one matches. */
    readonly ifNoneMatch: string;
  };
  requestBodies: never;
  headers: {
    /** @description The request's own X-Request-Id if well-formed, else a generated id. */
    readonly "X-Request-Id": string;
    /** @description Requests allowed per minute for this key, session or admin token. */
    readonly "RateLimit-Limit": number;
    /** @description Requests left in the current minute. */
    readonly "RateLimit-Remaining": number;
    /** @description Seconds until the limit resets. */
    readonly "RateLimit-Reset": number;
    /** @description Seconds to wait before retrying. */
    readonly "Retry-After": number;
    /** @description `Bearer`, with `error="invalid_token"` if a token was sent, or with `error="insufficient_scope"` and the missing `scope` (RFC 6750). */
    readonly "WWW-Authenticate": string;
    /** @description `dry-run` if the request sent `Prefer: dry-run`. */
    readonly "Preference-Applied": string;
    /** @description URL of the resource. */
    readonly Location: string;
    /** @description Id of the job that completes the change, if it takes longer than 20 s. */
    readonly "Rollgate-Job": string;
    /** @description `true` if this is the stored response to an earlier request with the same Idempotency-Key. */
    readonly "Idempotent-Replayed": string;
    /** @description Version of the resource, for If-Match and If-None-Match. */
    readonly ETag: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly listScimResources: {
    readonly parameters: {
      readonly query?: {
        /** @description For example `userName eq "ada@example.com"` (RFC 7644, 3.4.2.2). */
        readonly filter?: string;
        /** @description 1-based index of the first result. */
        readonly startIndex?: number;
        /** @description Maximum number of results per page. */
        readonly count?: number;
        /** @description Cursor pagination (RFC 9865): empty for the first page. */
        readonly cursor?: string;
        /** @description An indexed attribute, such as `userName`, `displayName` or `id`. */
        readonly sortBy?: string;
        /** @description Sort direction. */
        readonly sortOrder?: "ascending" | "descending";
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimResourceList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly listScimUsers: {
    readonly parameters: {
      readonly query?: {
        /** @description For example `userName eq "ada@example.com"` (RFC 7644, 3.4.2.2). */
        readonly filter?: string;
        /** @description 1-based index of the first result. */
        readonly startIndex?: number;
        /** @description Maximum number of results per page. */
        readonly count?: number;
        /** @description Cursor pagination (RFC 9865): empty for the first page. */
        readonly cursor?: string;
        /** @description An indexed attribute, such as `userName`, `displayName` or `id`. */
        readonly sortBy?: string;
        /** @description Sort direction. */
        readonly sortOrder?: "ascending" | "descending";
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUserList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly createScimUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimUserInput"];
      };
    };
    readonly responses: {
      /** @description Created. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUser"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly searchScimUsers: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimSearchRequest"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUserList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getScimUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUser"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly replaceScimUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimUserInput"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUser"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 412: components["responses"]["Scim412"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly deleteScimUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success, no body. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 412: components["responses"]["Scim412"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly patchScimUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimPatchRequest"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimUser"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 412: components["responses"]["Scim412"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly listScimGroups: {
    readonly parameters: {
      readonly query?: {
        /** @description For example `userName eq "ada@example.com"` (RFC 7644, 3.4.2.2). */
        readonly filter?: string;
        /** @description 1-based index of the first result. */
        readonly startIndex?: number;
        /** @description Maximum number of results per page. */
        readonly count?: number;
        /** @description Cursor pagination (RFC 9865): empty for the first page. */
        readonly cursor?: string;
        /** @description An indexed attribute, such as `userName`, `displayName` or `id`. */
        readonly sortBy?: string;
        /** @description Sort direction. */
        readonly sortOrder?: "ascending" | "descending";
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimGroupList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly createScimGroup: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimGroupInput"];
      };
    };
    readonly responses: {
      /** @description Created. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimGroup"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly searchScimGroups: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimSearchRequest"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimGroupList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getScimGroup: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimGroup"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly replaceScimGroup: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimGroupInput"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimGroup"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 412: components["responses"]["Scim412"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly deleteScimGroup: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success, no body. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 412: components["responses"]["Scim412"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly patchScimGroup: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
        /** @description Return only these attributes, separated by commas. */
        readonly attributes?: string;
        /** @description Omit these attributes, separated by commas. */
        readonly excludedAttributes?: string;
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The SCIM id of the resource. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimPatchRequest"];
      };
    };
    readonly responses: {
      /** @description Success, no body. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 404: components["responses"]["Scim404"];
      readonly 409: components["responses"]["Scim409"];
      readonly 412: components["responses"]["Scim412"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly searchScimResources: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimSearchRequest"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimResourceList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getScimServiceProviderConfig: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimServiceProviderConfig"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly listScimSchemas: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimSchemaList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getScimSchema: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description URN of the schema. */
        readonly urn: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimSchema"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 404: components["responses"]["Scim404"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly listScimResourceTypes: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimResourceTypeList"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getScimResourceType: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description Name of the resource type. */
        readonly name: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimResourceType"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 404: components["responses"]["Scim404"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly runScimBulk: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/scim+json": components["schemas"]["ScimBulkRequest"];
      };
    };
    readonly responses: {
      /** @description Success. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Rollgate-Job": components["headers"]["Rollgate-Job"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/scim+json": components["schemas"]["ScimBulkResponse"];
        };
      };
      readonly 400: components["responses"]["Scim400"];
      readonly 401: components["responses"]["Scim401"];
      readonly 403: components["responses"]["Scim403"];
      readonly 413: components["responses"]["Scim413"];
      readonly 415: components["responses"]["Scim415"];
      readonly 429: components["responses"]["Scim429"];
      readonly 500: components["responses"]["Scim500"];
      readonly 503: components["responses"]["Scim503"];
    };
  };
  readonly getKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The key that authenticated the request. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["KeyMetadata"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getUsage: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Seat capacity and usage. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Usage"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listUsers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Users with this e-mail address, ignoring case. */
        readonly email?: string;
        /** @description Users with this external id. */
        readonly external_id?: string;
        /** @description Only active (or only deactivated) users. */
        readonly active?: boolean;
        /** @description Users with this role. */
        readonly role?: string;
        /** @description Users whose e-mail address or display name starts with this. */
        readonly q?: string;
        /** @description Users whose e-mail address, user name or display name, or a later word of one, starts with this: `lovelace` finds Ada Lovelace. */
        readonly search?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of users. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UserList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidFilter"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewUser"];
      };
    };
    readonly responses: {
      /** @description The user. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScopeOrSeatCapacityReached"];
      readonly 409: components["responses"]["IdempotencyConflictOrEmailTakenOrUsernameTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getUser: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["UserNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deactivateUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user was deactivated. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["UserNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserChanges"];
      };
    };
    readonly responses: {
      /** @description The updated user. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScopeOrSeatCapacityReached"];
      readonly 404: components["responses"]["UserNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listRooms: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. Default: all. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The room with this name, ignoring case. */
        readonly name?: string;
        /** @description Only rooms with (or without) a SCIM group mapping. */
        readonly mapped?: boolean;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The rooms. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getRoom: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The room. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly unmapRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The mapping was removed. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFoundOrGroupNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly mapRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMappingChanges"];
      };
    };
    readonly responses: {
      /** @description The updated room. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedRoom"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFoundOrGroupNotFound"];
      readonly 409: components["responses"]["GroupExists"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listRoomMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. Default: all. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The members. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMemberList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly replaceRoomMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ReplaceRoomMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["MemberSync"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedMemberSync"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly addRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewRoomMember"];
      };
    };
    readonly responses: {
      /** @description The member. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMember"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFoundOrUserNotFound"];
      readonly 409: components["responses"]["IdempotencyConflictOrMemberExists"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
        /** @description The user's id. */
        readonly userId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user was removed from the room. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFoundOrMemberNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The room's id. */
        readonly id: string;
        /** @description The user's id. */
        readonly userId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMemberChanges"];
      };
    };
    readonly responses: {
      /** @description The member. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMember"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["RoomNotFoundOrMemberNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listSmsLists: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The list with this external id. */
        readonly external_id?: string;
        /** @description Lists that are valid at this time. */
        readonly valid_at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of lists. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsListList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewSmsList"];
      };
    };
    readonly responses: {
      /** @description The list. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 409: components["responses"]["IdempotencyConflictOrNameTakenOrExternalIdTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getSmsList: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The list. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The list was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListChanges"];
      };
    };
    readonly responses: {
      /** @description The updated list. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 409: components["responses"]["NameTakenOrExternalIdTaken"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Members that are valid at this time, regardless of the list's own window. */
        readonly valid_at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of members. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsMemberList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly replaceSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ReplaceSmsMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsReplacement"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsReplacement"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly addSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsUpsert"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsUpsert"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 409: components["responses"]["IdempotencyConflict"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listSmsRecipients: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Defaults to the current time. */
        readonly at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of recipients. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsRecipientList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeSmsMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
        /** @description The member's id. */
        readonly memberId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The member was removed. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFoundOrMemberNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeSmsNumbers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsNumbers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsRemoval"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsRemoval"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["SmsListNotFound"];
      readonly 409: components["responses"]["IdempotencyConflict"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getOwnJob: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description Id of the job, from the 202 response. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The job. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Job"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 404: components["responses"]["JobNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listWebhooks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registrations. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewWebhook"];
      };
    };
    readonly responses: {
      /** @description The registration, with its secret. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 409: components["responses"]["IdempotencyConflict"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registration. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Webhook"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registration was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["WebhookChanges"];
      };
    };
    readonly responses: {
      /** @description The updated registration. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Webhook"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly rotateWebhookSecret: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly "application/json": components["schemas"]["SecretRotation"];
      };
    };
    readonly responses: {
      /** @description The new secret. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RotatedSecret"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScopeOrStepUpRequired"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 409: components["responses"]["IdempotencyConflict"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listWebhookDeliveries: {
    readonly parameters: {
      readonly query?: {
        /** @description Only deliveries of this event type. */
        readonly event?: "user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed";
        /** @description Only deliveries in this state. */
        readonly state?: "pending" | "delivered" | "failed" | "dropped";
        /** @description Only deliveries of events at or after this time. */
        readonly since?: string;
        /** @description Only deliveries of events before this time. */
        readonly until?: string;
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The deliveries. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookDeliveryList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getWebhookDelivery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
        /** @description The delivery id, sent as `X-Service-Delivery`. */
        readonly deliveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The delivery. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WholeWebhookDelivery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFoundOrDeliveryNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly redeliverWebhookDelivery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
        /** @description The delivery id, sent as `X-Service-Delivery`. */
        readonly deliveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The delivery, queued. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WholeWebhookDelivery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFoundOrDeliveryNotFound"];
      readonly 409: components["responses"]["IdempotencyConflictOrWebhookDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly recoverWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RecoverWebhook"];
      };
    };
    readonly responses: {
      /** @description The recovery, which has started. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookRecovery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 409: components["responses"]["IdempotencyConflictOrWebhookDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getWebhookRecovery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
        /** @description The id of the recovery. */
        readonly recoveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The recovery. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookRecovery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFoundOrJobNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly testWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description A unique value, honoured for 24 hours: a retry with the same value returns the first response. */
        readonly "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The response of the endpoint. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookTestResult"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 404: components["responses"]["WebhookNotFound"];
      readonly 409: components["responses"]["IdempotencyConflict"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description The last `seq` that you have processed; 0 starts with the oldest event. */
        readonly after?: number;
        /** @description Maximum number of events to return. */
        readonly limit?: number;
        /** @description Only events with these names, separated by commas. */
        readonly event?: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed")[];
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly tenantSlug: components["parameters"]["tenantSlug"];
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Events after `after`. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["EventFeed"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientScope"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listConnectors: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The connectors. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getConnector: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The connector. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Connector"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly checkConnector: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Whether the source can be read. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorCheck"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listConnectorFields: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The fields. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorFields"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabledOrConnectorUnreachable"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listConnectorRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description `next` of the page before. */
        readonly after?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The runs. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRunList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly startConnectorRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewConnectorRun"];
      };
    };
    readonly responses: {
      /** @description The run. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabledOrConnectorRunning"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getConnectorRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
        readonly run: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The run. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getConnectorPlan: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description `next` of the page before. */
        readonly after?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
        readonly run: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Items. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorPlan"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly approveConnectorRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
        readonly run: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["PlanApproval"];
      };
    };
    readonly responses: {
      /** @description The run. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound"];
      readonly 409: components["responses"]["ConnectorDisabledOrConnectorPlanOutdated"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly rejectConnectorRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
        readonly run: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The run. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound"];
      readonly 409: components["responses"]["ConnectorDisabledOrConnectorPlanOutdated"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly cancelConnectorRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
        readonly run: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The run. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConnectorRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRunNotFound"];
      readonly 409: components["responses"]["ConnectorDisabledOrConnectorRunEnded"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listQuarantinedRecords: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description `next` of the page before. */
        readonly after?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The records. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["QuarantinedRecordList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly retryQuarantinedRecord: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RetriedRecord"];
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRecordNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly ignoreQuarantinedRecord: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["IgnoredRecord"];
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFoundOrConnectorRecordNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly pauseConnector: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The connector. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Connector"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly resumeConnector: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly slug: string;
        readonly connector: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The connector. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Connector"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrConnectorNotFound"];
      readonly 409: components["responses"]["ConnectorDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenants: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of tenants. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["TenantList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createTenant: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewTenant"];
      };
    };
    readonly responses: {
      /** @description The tenant. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Tenant"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 409: components["responses"]["SlugTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenant: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The tenant. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Tenant"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteTenant: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The tenant was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateTenant: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["TenantChanges"];
      };
    };
    readonly responses: {
      /** @description The updated tenant. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Tenant"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedTenant"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantOverview: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The overview. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["TenantOverview"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantActivity: {
    readonly parameters: {
      readonly query?: {
        /** @description How far back; at most a week. */
        readonly hours?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The counts, oldest first. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Activity"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly searchTenant: {
    readonly parameters: {
      readonly query: {
        /** @description The beginning of a word of a name, several words, or an id. */
        readonly q: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The results. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SearchResults"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listRoomsOfUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of rooms. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UserRoomList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["UserNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listApiKeys: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of keys. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ApiKeyList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createApiKey: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewApiKey"];
      };
    };
    readonly responses: {
      /** @description The key. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CreatedApiKey"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteApiKey: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The key's id. */
        readonly keyId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The key was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFoundOrApiKeyNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly allowRemovals: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The key's id. */
        readonly keyId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The limit is lifted. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AllowedRemovals"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFoundOrApiKeyNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantRooms: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The room with this name, ignoring case. */
        readonly name?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of rooms. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomName"];
      };
    };
    readonly responses: {
      /** @description The room. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 409: components["responses"]["NameTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantRoom: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The room. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrRoomNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The room was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrRoomNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly renameRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomName"];
      };
    };
    readonly responses: {
      /** @description The renamed room. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrRoomNotFound"];
      readonly 409: components["responses"]["NameTaken"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantGroups: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The group with this name, ignoring case. */
        readonly display_name?: string;
        /** @description Groups with this external id. */
        readonly external_id?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of groups. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["GroupList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantGroup: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The group's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The group. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Group"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["GroupNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantGroupMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The group's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of members. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMemberList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["GroupNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listRoleMappings: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The mapping for the group with this name, ignoring case. */
        readonly group_display_name?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of mappings. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoleMappingList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createRoleMapping: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewRoleMapping"];
      };
    };
    readonly responses: {
      /** @description The mapping. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoleMapping"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedRoleMapping"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 409: components["responses"]["NameTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getRoleMapping: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The mapping's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The mapping. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoleMapping"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrRoleMappingNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteRoleMapping: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The mapping's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The mapping was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrRoleMappingNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateRoleMapping: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The mapping's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoleMappingChanges"];
      };
    };
    readonly responses: {
      /** @description The updated mapping. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoleMapping"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedRoleMapping"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrRoleMappingNotFound"];
      readonly 409: components["responses"]["NameTaken"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly testRoleMappings: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoleTestInput"];
      };
    };
    readonly responses: {
      /** @description The result. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoleTest"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listJobs: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Only jobs in this state. */
        readonly state?: "running" | "done";
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of jobs. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["JobList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getJob: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The job's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The job. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Job"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrJobNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listCommands: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description `next` of the previous page; omit it for the first page. */
        readonly cursor?: string;
        /** @description Id or name of the subject. */
        readonly subject?: string;
        /** @description A user or room that the command changed: an id, or a user name or email address. */
        readonly affected?: string;
        /** @description Id of an API key, or name of an operator. */
        readonly actor?: string;
        readonly type?: "user.create" | "user.replace" | "user.patch" | "user.update" | "user.deactivate" | "user.delete" | "room.create" | "room.rename" | "room.delete" | "room.map" | "room.unmap" | "member.add" | "member.update" | "member.remove" | "member.sync" | "group.create" | "group.change" | "group.delete" | "role-mapping.create" | "role-mapping.update" | "role-mapping.delete" | "sms-list.create" | "sms-list.update" | "sms-list.delete" | "sms-member.upsert" | "sms-member.replace" | "sms-member.remove" | "sms-member.remove-by-number" | "sms-member.sweep" | "job.step" | "tenant.create" | "tenant.update" | "tenant.delete" | "api-key.create" | "api-key.delete" | "api-key.allow-removals" | "plugin.change";
        readonly source?: "scim" | "rest" | "admin" | "cli" | "dashboard" | "connector" | "system";
        readonly outcome?: "applied" | "no-op" | "refused" | "failed";
        /** @description All commands of one request, such as the operations of a Bulk. */
        readonly request_id?: string;
        /** @description At or after this time. */
        readonly since?: string;
        /** @description Before this time. */
        readonly until?: string;
        /** @description Text that a name or an id contains, ignoring case. */
        readonly q?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of the log. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CommandList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly exportCommands: {
    readonly parameters: {
      readonly query?: {
        readonly format?: "csv" | "ndjson";
        /** @description Id or name of the subject. */
        readonly subject?: string;
        /** @description A user or room that the command changed: an id, or a user name or email address. */
        readonly affected?: string;
        /** @description Id of an API key, or name of an operator. */
        readonly actor?: string;
        readonly type?: "user.create" | "user.replace" | "user.patch" | "user.update" | "user.deactivate" | "user.delete" | "room.create" | "room.rename" | "room.delete" | "room.map" | "room.unmap" | "member.add" | "member.update" | "member.remove" | "member.sync" | "group.create" | "group.change" | "group.delete" | "role-mapping.create" | "role-mapping.update" | "role-mapping.delete" | "sms-list.create" | "sms-list.update" | "sms-list.delete" | "sms-member.upsert" | "sms-member.replace" | "sms-member.remove" | "sms-member.remove-by-number" | "sms-member.sweep" | "job.step" | "tenant.create" | "tenant.update" | "tenant.delete" | "api-key.create" | "api-key.delete" | "api-key.allow-removals" | "plugin.change";
        readonly source?: "scim" | "rest" | "admin" | "cli" | "dashboard" | "connector" | "system";
        readonly outcome?: "applied" | "no-op" | "refused" | "failed";
        /** @description All commands of one request, such as the operations of a Bulk. */
        readonly request_id?: string;
        /** @description At or after this time. */
        readonly since?: string;
        /** @description Before this time. */
        readonly until?: string;
        /** @description Text that a name or an id contains, ignoring case. */
        readonly q?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The entries. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "text/csv": string;
          readonly "application/x-ndjson": string;
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getCommand: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The command's id. */
        readonly commandId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The entry. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Command"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["CommandNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly streamCommands: {
    readonly parameters: {
      readonly query?: {
        readonly outcome?: "applied" | "no-op" | "refused" | "failed";
        readonly source?: "scim" | "rest" | "admin" | "cli" | "dashboard" | "connector" | "system";
        readonly type?: "user.create" | "user.replace" | "user.patch" | "user.update" | "user.deactivate" | "user.delete" | "room.create" | "room.rename" | "room.delete" | "room.map" | "room.unmap" | "member.add" | "member.update" | "member.remove" | "member.sync" | "group.create" | "group.change" | "group.delete" | "role-mapping.create" | "role-mapping.update" | "role-mapping.delete" | "sms-list.create" | "sms-list.update" | "sms-list.delete" | "sms-member.upsert" | "sms-member.replace" | "sms-member.remove" | "sms-member.remove-by-number" | "sms-member.sweep" | "job.step" | "tenant.create" | "tenant.update" | "tenant.delete" | "api-key.create" | "api-key.delete" | "api-key.allow-removals" | "plugin.change";
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The entries, until the client disconnects. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "text/event-stream": components["schemas"]["Command"] | components["schemas"]["LiveHeartbeat"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getRequestCapture: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Whether they are. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RequestCapture"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly setRequestCapture: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RequestCaptureChange"];
      };
    };
    readonly responses: {
      /** @description Whether they are captured. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RequestCapture"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedRequestCapture"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listCapturedRequests: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description `next` of the previous page; omit it for the first page. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of requests. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CapturedRequestList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getCapturedRequest: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The captured request's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The request. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CapturedRequest"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["RequestNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly replayCapturedRequest: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The captured request's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description What it would do. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["DryRun"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RequestNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["RequestNotReplayable"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description The last `seq` that you have processed; 0 starts with the oldest event. */
        readonly after?: number;
        /** @description Maximum number of events to return. */
        readonly limit?: number;
        /** @description Only events with these names, separated by commas. */
        readonly event?: readonly ("user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed")[];
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Events after `after`. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["EventFeed"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly explain: {
    readonly parameters: {
      readonly query: {
        /** @description Id, e-mail or user name. A deleted user is found by name while the log has the user. */
        readonly user: string;
        /** @description Id or name of a room: explains why the user is, or is not, a member. */
        readonly room?: string;
        /** @description Explains the user's role (`?user=…&role`). Specify either `room` or `role`. */
        readonly role?: "" | "true";
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The explanation. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Explanation"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrUserNotFoundOrRoomNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listPlugins: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The plugins of the configuration; disabled ones last. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            readonly plugins: readonly components["schemas"]["Plugin"][];
          };
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getSystem: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The state. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["System"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly rotateAdminToken: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The new token. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RotatedAdminToken"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getSignIn: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The ways to sign in. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WaysToSignIn"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OperatorSession"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly signIn: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SignIn"];
      };
    };
    readonly responses: {
      /** @description The session. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OperatorSession"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["CsrfRejectedOrInsufficientRole"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly signOut: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session has ended. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly openSetupLink: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SetupSignIn"];
      };
    };
    readonly responses: {
      /** @description The session. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OperatorSession"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["CsrfRejected"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly startOpenIdSignIn: {
    readonly parameters: {
      readonly query?: {
        /** @description A page of the dashboard. */
        readonly return_to?: string;
        /** @description Requires a recent proof of identity, for operations that need one. Without it, the session is recent only as far as the provider says so (`auth_time`). */
        readonly step_up?: "1";
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description To the next page. */
      readonly 303: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 404: components["responses"]["NotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly finishOpenIdSignIn: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description To the next page. */
      readonly 303: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 404: components["responses"]["NotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createSetupLink: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewSetupLink"];
      };
    };
    readonly responses: {
      /** @description The link. Returned only in this response. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SetupLink"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly endSetupLinks: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description No setup link of the tenant works. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createSetupKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The key. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CreatedApiKey"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFoundOrNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getSetupProgress: {
    readonly parameters: {
      readonly query?: {
        /** @description The API key of the identity provider. Default: the tenant's key with a SCIM scope that was used last. */
        readonly key_id?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The progress. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SetupProgress"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFoundOrApiKeyNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listOperators: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of operators. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OperatorList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createOperator: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewOperator"];
      };
    };
    readonly responses: {
      /** @description The operator. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Operator"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getOperator: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The operator. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Operator"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["OperatorNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteOperator: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The operator was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["OperatorNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateOperator: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["OperatorUpdate"];
      };
    };
    readonly responses: {
      /** @description The updated operator. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Operator"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["OperatorNotFound"];
      readonly 409: components["responses"]["OperatorFromProvider"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createSignInLink: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The link. Returned only in this response. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SignInLink"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["OperatorNotFound"];
      readonly 409: components["responses"]["OperatorFromProvider"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listOperatorSessions: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The sessions, newest first. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SessionsOfOperator"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["OperatorNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly endOperatorSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The operator's id. */
        readonly id: string;
        /** @description The session's id. */
        readonly sessionId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session has ended. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["OperatorNotFoundOrSessionNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantUsers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Users with this e-mail address, ignoring case. */
        readonly email?: string;
        /** @description Users with this external id. */
        readonly external_id?: string;
        /** @description Only active (or only deactivated) users. */
        readonly active?: boolean;
        /** @description Users with this role. */
        readonly role?: string;
        /** @description Users whose e-mail address or display name starts with this. */
        readonly q?: string;
        /** @description Users whose e-mail address, user name or display name, or a later word of one, starts with this: `lovelace` finds Ada Lovelace. */
        readonly search?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of users. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UserList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidFilter"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantUser: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["UserNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deactivateTenantUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user was deactivated. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["UserNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateTenantUser: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The user's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserChanges"];
      };
    };
    readonly responses: {
      /** @description The updated user. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrSeatCapacityReached"];
      readonly 404: components["responses"]["UserNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly unmapTenantRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The mapping was removed. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrGroupNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly mapTenantRoom: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMappingChanges"];
      };
    };
    readonly responses: {
      /** @description The updated room. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Room"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedRoom"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrGroupNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["GroupExists"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantRoomMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. Default: all. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The members. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMemberList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["RoomNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly replaceTenantRoomMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ReplaceRoomMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["MemberSync"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedMemberSync"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly addTenantRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewRoomMember"];
      };
    };
    readonly responses: {
      /** @description The member. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMember"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrUserNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["MemberExists"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeTenantRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
        /** @description The user's id. */
        readonly userId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The user was removed from the room. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrMemberNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateTenantRoomMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The room's id. */
        readonly id: string;
        /** @description The user's id. */
        readonly userId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMemberChanges"];
      };
    };
    readonly responses: {
      /** @description The member. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RoomMember"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["RoomNotFoundOrMemberNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantSmsLists: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description The list with this external id. */
        readonly external_id?: string;
        /** @description Lists that are valid at this time. */
        readonly valid_at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of lists. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsListList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createTenantSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewSmsList"];
      };
    };
    readonly responses: {
      /** @description The list. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 409: components["responses"]["NameTakenOrExternalIdTaken"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantSmsList: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The list. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteTenantSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The list was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateTenantSmsList: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListChanges"];
      };
    };
    readonly responses: {
      /** @description The updated list. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["NameTakenOrExternalIdTaken"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Members that are valid at this time, regardless of the list's own window. */
        readonly valid_at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of members. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsMemberList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly replaceTenantSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ReplaceSmsMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsReplacement"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsReplacement"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly addTenantSmsMembers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsMembers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsUpsert"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsUpsert"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantSmsRecipients: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
        /** @description Defaults to the current time. */
        readonly at?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of recipients. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsRecipientList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeTenantSmsMember: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
        /** @description The member's id. */
        readonly memberId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
      /** @description The member was removed. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrMemberNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly removeTenantSmsNumbers: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The list's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsNumbers"];
      };
    };
    readonly responses: {
      /** @description The number of changes. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SmsRemoval"];
        };
      };
      /** @description Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at `Location`. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AcceptedSmsRemoval"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["SmsListNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantWebhooks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registrations. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly createTenantWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["NewWebhook"];
      };
    };
    readonly responses: {
      /** @description The registration, with its secret. */
      readonly 201: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly Location: components["headers"]["Location"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["TenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description ETags; 304 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["ifNoneMatch"];
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registration. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Webhook"];
        };
      };
      /** @description Not modified: If-None-Match has the current ETag. */
      readonly 304: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly deleteTenantWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The registration was deleted. */
      readonly 204: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly updateTenantWebhook: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["WebhookChanges"];
      };
    };
    readonly responses: {
      /** @description The updated registration. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly ETag: components["headers"]["ETag"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Webhook"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly rotateTenantWebhookSecret: {
    readonly parameters: {
      readonly query?: {
        /** @description Preview the result without applying it: 200 with a `DryRun`. */
        readonly dry_run?: components["parameters"]["dryRun"];
      };
      readonly header?: {
        /** @description ETags; 412 unless one matches. */
        readonly "If-Match"?: components["parameters"]["ifMatch"];
        /** @description ETags; 412 if one matches. */
        readonly "If-None-Match"?: components["parameters"]["unlessMatch"];
        /**
         * @description `dry-run` does the same as `dry_run=true`.
         * @example dry-run
         */
        readonly Prefer?: components["parameters"]["prefer"];
      };
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly "application/json": components["schemas"]["SecretRotation"];
      };
    };
    readonly responses: {
      /** @description The new secret. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RotatedSecret"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejectedOrStepUpRequired"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 412: components["responses"]["PreconditionFailed"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly listTenantWebhookDeliveries: {
    readonly parameters: {
      readonly query?: {
        /** @description Only deliveries of this event type. */
        readonly event?: "user.created" | "user.updated" | "user.deactivated" | "user.reactivated" | "user.deleted" | "room.member_added" | "room.member_removed" | "room.member_updated" | "group.created" | "group.updated" | "group.deleted" | "group.member_added" | "group.member_removed" | "sms_list.created" | "sms_list.updated" | "sms_list.deleted" | "sms_list.members_added" | "sms_list.members_removed";
        /** @description Only deliveries in this state. */
        readonly state?: "pending" | "delivered" | "failed" | "dropped";
        /** @description Only deliveries of events at or after this time. */
        readonly since?: string;
        /** @description Only deliveries of events before this time. */
        readonly until?: string;
        /** @description Maximum number of results to return. */
        readonly limit?: number;
        /** @description Number of results to skip. */
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The deliveries. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookDeliveryList"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantWebhookDelivery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
        /** @description The delivery id, sent as `X-Service-Delivery`. */
        readonly deliveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The delivery. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WholeWebhookDelivery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["WebhookNotFoundOrDeliveryNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly redeliverTenantWebhookDelivery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
        /** @description The delivery id, sent as `X-Service-Delivery`. */
        readonly deliveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The delivery, queued. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WholeWebhookDelivery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["WebhookNotFoundOrDeliveryNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["WebhookDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly recoverTenantWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RecoverWebhook"];
      };
    };
    readonly responses: {
      /** @description The recovery, which has started. */
      readonly 202: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookRecovery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 409: components["responses"]["WebhookDisabled"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly getTenantWebhookRecovery: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
        /** @description The id of the recovery. */
        readonly recoveryId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The recovery. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookRecovery"];
        };
      };
      readonly 400: components["responses"]["InvalidRequest"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRole"];
      readonly 404: components["responses"]["WebhookNotFoundOrJobNotFoundOrTenantNotFound"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly testTenantWebhook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The tenant's slug. */
        readonly slug: string;
        /** @description The registration's id. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The response of the endpoint. */
      readonly 200: {
        headers: {
          readonly "X-Request-Id": components["headers"]["X-Request-Id"];
          readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["WebhookTestResult"];
        };
      };
      readonly 400: components["responses"]["InvalidRequestOrInvalidJson"];
      readonly 401: components["responses"]["Unauthenticated"];
      readonly 403: components["responses"]["InsufficientRoleOrCsrfRejected"];
      readonly 404: components["responses"]["WebhookNotFoundOrTenantNotFound"];
      readonly 413: components["responses"]["PayloadTooLarge"];
      readonly 415: components["responses"]["UnsupportedMediaType"];
      readonly 429: components["responses"]["RateLimited"];
      readonly 500: components["responses"]["Internal"];
      readonly 503: components["responses"]["Unavailable"];
    };
  };
  readonly onUserCreated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserCreatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onUserUpdated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserUpdatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onUserDeactivated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserDeactivatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onUserReactivated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserReactivatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onUserDeleted: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserDeletedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onRoomMemberAdded: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMemberAddedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onRoomMemberRemoved: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMemberRemovedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onRoomMemberUpdated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["RoomMemberUpdatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onGroupCreated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["GroupCreatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onGroupUpdated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["GroupUpdatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onGroupDeleted: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["GroupDeletedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onGroupMemberAdded: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["GroupMemberAddedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onGroupMemberRemoved: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["GroupMemberRemovedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onSmsListCreated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListCreatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onSmsListUpdated: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListUpdatedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onSmsListDeleted: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListDeletedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onSmsListMembersAdded: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListMembersAddedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly onSmsListMembersRemoved: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SmsListMembersRemovedEvent"];
      };
    };
    readonly responses: {
      /** @description Received. Any other status, including a redirect, is retried. */
      readonly "2XX": {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
