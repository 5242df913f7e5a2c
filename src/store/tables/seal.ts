/** Encrypts and decrypts what must not be readable in the database. */
export interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}
