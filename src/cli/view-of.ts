import { z } from 'zod';
import type { components } from '../client/index.js';

/** What the API declares. */
export type Schemas = components['schemas'];

/** Something that the API sends; a response without this text, such as an id, comes from another server. */
export const viewOf = <View>(text: keyof View & string): z.ZodType<View> =>
  z.custom<View>(
    (value) =>
      typeof (value as { readonly [name: string]: unknown } | null | undefined)?.[text] ===
      'string',
  );
