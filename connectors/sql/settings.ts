import { isIP } from 'node:net';
import { durationField, secretField, z } from '../../src/plugin/api.js';

const text = z.string().min(1);

/** A name of a column or view; it is quoted wherever it is used. */
const name = z.string().regex(/^[^\0"`.]{1,64}$/, {
  error: 'expected a name of up to 64 characters, without quotes and dots',
});

/** The settings of the `sql` connector. */
export const SqlSettings = z
  .strictObject({
    system: z.enum(['postgresql', 'mysql']).describe('`mysql` is MySQL or MariaDB.'),
    host: text.describe('Name of the database server; or its address.'),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('Its port. Default: 5432 for PostgreSQL, 3306 for MySQL.'),
    tls: z
      .enum(['required', 'off'])
      .default('required')
      .describe('`off` sends all data in plain text.'),
    ca: text.optional().describe('PEM file of additional CAs to trust.'),
    database: text.describe('The database on the server.'),
    user: text.describe('The user to sign in as. It needs nothing but SELECT on the view.'),
    password: secretField().describe('The password of this user.'),
    schema: name
      .optional()
      .describe('The schema of the view, in PostgreSQL. Default: that of the user.'),
    view: name.describe('The view, or table, with one row for each person.'),
    id: name
      .default('id')
      .describe('The column whose value never changes for a person: unique and never null.'),
    updatedAt: name
      .nullable()
      .default('updated_at')
      .describe('The column with the time of the last change; null if there is none: no deltas.'),
    columns: z.array(name).optional().describe('Which columns to read. Default: all of the view.'),
    statementTimeout: durationField('1s', '10m')
      .prefault('60s')
      .describe('Time limit of a statement, which reads one page.'),
  })
  .refine(({ system, tls, host }) => system !== 'mysql' || tls === 'off' || isIP(host) === 0, {
    error: 'expected a name: a certificate of a MySQL server is verified by name',
    path: ['host'],
  });

export type SqlSettings = z.output<typeof SqlSettings>;
