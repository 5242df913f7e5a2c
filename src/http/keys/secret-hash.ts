import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits, for cookies and links. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** SHA-256 in hexadecimal, by which a random secret is stored and looked up: it needs no slow hash. */
export const hashSecret = (secret: string): string => digest(secret).toString('hex');

/** Compares in constant time, by digests, which have equal lengths. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));
