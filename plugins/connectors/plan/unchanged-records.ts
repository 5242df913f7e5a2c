import { DateError, readStage } from '../lifecycle.js';
import type { LinkState } from '../link.js';
import type { RecordInput } from '../record-input.js';
import type { PlanPageParts } from './plan-page.js';
import { isAsRead } from './plan-record.js';

/**
 * Of an unchanged source, nearly all: neither the record nor its dates nor its user has changed. That
 * is found with a small part of what is stored of them.
 */
export const unchangedAmong = async (
  records: readonly RecordInput[],
  {
    compiled,
    store,
    gateway,
    today,
  }: Pick<PlanPageParts, 'compiled' | 'store' | 'gateway' | 'today'>,
): Promise<ReadonlySet<string>> => {
  const links = await store.linkStates.many(records.map(({ sourceId }) => sourceId));
  const quarantined = await store.quarantine.many([...links.keys()]);
  const asRead = records.flatMap((record) => {
    const link = links.get(record.sourceId);
    if (!link || quarantined.has(record.sourceId)) return [];
    const stage = readStage(record.data, compiled.lifecycle, today);
    const waits = link.unmetManager !== null || link.unmet.length > 0;
    if (waits || stage instanceof DateError || !isAsRead(link, { ...record, stage }, today))
      return [];
    // A future hire without a user may be named by another record.
    return link.userId !== null || stage.state === 'left' ? [{ link, stage }] : [];
  });
  const versions = await gateway.userVersions(asRead.map(({ link }) => link));
  const isUntouched = ({ userId, userVersion }: LinkState): boolean =>
    userVersion !== undefined && versions.get(userId) === userVersion;
  return new Set(
    asRead.flatMap(({ link, stage }) =>
      stage.state !== 'active' || isUntouched(link) ? [link.sourceId] : [],
    ),
  );
};
