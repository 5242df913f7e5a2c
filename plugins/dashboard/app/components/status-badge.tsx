import { Badge } from './badge.tsx';

/** An HTTP status. */
export const StatusBadge = ({ status }: { readonly status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warning' : 'bad'}>{status}</Badge>
);
