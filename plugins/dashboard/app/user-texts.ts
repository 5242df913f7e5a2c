type Text = readonly [name: 'external_id', title: string, isChangeable: boolean];
/** Of the OpenAPI document, by vite.config.js. */
declare const TEXTS_OF_USERS: readonly Text[];

/** The optional texts of a user, with their titles, and whether they change after the creation. */
export const USER_TEXTS = TEXTS_OF_USERS;
