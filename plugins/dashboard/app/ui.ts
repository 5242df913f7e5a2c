/** What pages are made of, in one import. Its parts import each other directly. */
export { gateway, inSession } from './api/gateway.ts';
export type { OperatorRole, Schema } from './api/schema.ts';
export { type Loaded, useData } from './api/use-data.ts';
export { Button } from './components/button.tsx';
export { type Filter, Filters } from './components/filters.tsx';
export { Empty, ErrorNote, Note, OutageNote } from './components/note.tsx';
export { Sentence, Time } from './components/time.tsx';
export { counted } from './counted.ts';
export {
  GUIDE,
  barrierOf,
  hasExpired,
  hasRole,
  isInGuide,
  isSetupSession,
  ownTenants,
  session,
  siteName,
} from './session.ts';
