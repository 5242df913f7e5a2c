import * as mongo from 'mongodb';

/** Positions in a log, one bit for each from the first to the last: exact for any pattern. */
export interface PackedSeqs {
  readonly from: number;
  readonly bits: mongo.Binary;
}

/** `seqs`: ascending, at least one. */
export const packSeqs = (seqs: readonly number[]): PackedSeqs => {
  const from = seqs[0] ?? 0;
  const bits = Buffer.alloc((((seqs.at(-1) ?? from) - from) >> 3) + 1);
  for (const seq of seqs) {
    const at = seq - from;
    bits.writeUInt8(bits.readUInt8(at >> 3) | (1 << (at & 7)), at >> 3);
  }
  return { from, bits: new mongo.Binary(bits) };
};

/** Up to `limit` of the positions, in order, starting with `first`. */
export const unpackSeqs = (
  { from, bits }: PackedSeqs,
  first: number,
  limit: number,
): readonly number[] => {
  const bytes = Buffer.from(bits.buffer);
  const seqs: number[] = [];
  for (let at = first - from; at >> 3 < bytes.length && seqs.length < limit; at += 1) {
    if ((bytes.readUInt8(at >> 3) >> (at & 7)) & 1) seqs.push(from + at);
  }
  return seqs;
};
