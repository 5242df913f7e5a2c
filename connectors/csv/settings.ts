import { durationField, secretField, z } from '../../src/plugin/api.js';

const text = z.string().min(1);

const fingerprint = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, {
  error: 'expected the SHA-256 fingerprint of a host key, as `ssh-keygen -l` prints it: SHA256:…',
});

const SftpSettings = z
  .strictObject({
    host: text.describe('Name or address of the SFTP server.'),
    port: z.int().min(1).max(65_535).default(22).describe('Its port.'),
    user: text.describe('The user to sign in as.'),
    password: secretField().optional().describe('The password of this user.'),
    privateKey: secretField()
      .optional()
      .describe('Instead of a password: the private key of this user, in OpenSSH or PEM format.'),
    passphrase: secretField().optional().describe('The passphrase of the private key.'),
    fingerprint: z
      .union([fingerprint, z.array(fingerprint).min(1)])
      .transform((value) => (typeof value === 'string' ? [value] : value))
      .describe(
        'SHA-256 fingerprint of the host key of the server, or several of them while a key is ' +
          'replaced. A server with another key is refused.',
      ),
    folder: text.default('.').describe('The folder on the server.'),
  })
  .refine(({ password, privateKey }) => (password === undefined) !== (privateKey === undefined), {
    error: 'expected either a password or a privateKey',
  });

export type SftpSettings = z.output<typeof SftpSettings>;

/** The settings of the `csv` connector. */
export const CsvSettings = z
  .strictObject({
    folder: text.optional().describe('The folder with the files, on this machine.'),
    sftp: SftpSettings.optional().describe('Instead of a folder: the SFTP server with the files.'),
    files: text
      .default('*.csv')
      .describe('Which files: a name in which `*` and `?` are wildcards. The newest one is read.'),
    ready: z
      .enum(['settled', 'marker', 'renamed'])
      .default('settled')
      .describe(
        'How a file shows that it is written: `settled`, it stays the same for `settleFor`; ' +
          '`marker`, an empty file with the same name and `.done` is beside it; `renamed`, it ' +
          'gets its name when it is written.',
      ),
    settleFor: durationField('1s', '1h')
      .prefault('10s')
      .describe('How long size and time of a file must stay the same before it is read.'),
    archive: text
      .optional()
      .describe(
        'A folder in the folder: a file is moved there when it was read to the end. Default: ' +
          'files stay where they are.',
      ),
    maxAge: durationField('1h', '365d')
      .optional()
      .describe('Refuse a newest file that is older than this. Default: any age.'),
    encoding: z
      .enum(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])
      .default('auto')
      .describe('`auto` follows the byte order mark, and is UTF-8 without one.'),
    delimiter: z
      .string()
      .min(1)
      .max(1)
      .optional()
      .describe('Default: whichever of , ; tab and | the first line has most of.'),
    columns: z
      .record(text, text)
      .default({})
      .describe(
        'Names for columns, by their header in the file: `{"Personnel no.": employeeId}`. A ' +
          'file without one of them is refused.',
      ),
    required: z
      .array(text)
      .default([])
      .describe('Other columns without which a file is refused, by their header.'),
    id: text
      .default('employeeId')
      .describe('The column whose value never changes for a person, by its name.'),
    trailer: text
      .optional()
      .describe(
        'The last line, with {count} for the number of records: `END;{count}`. A file without it, ' +
          'or with another number of records, is refused.',
      ),
    lastLine: z
      .enum(['ended', 'any'])
      .default('ended')
      .describe(
        '`ended`: refuse a file that does not end with a line break, because it may have been ' +
          'cut. `any`: for exports that never end their last line.',
      ),
  })
  .refine(({ folder, sftp }) => (folder === undefined) !== (sftp === undefined), {
    error: 'expected either a folder or sftp',
  })
  .superRefine(({ columns }, context) => {
    const names = Object.values(columns);
    const same = names.find((name, at) => names.indexOf(name) < at);
    const headers = Object.keys(columns).filter((header) => columns[header] === same);
    if (same === undefined) return;
    const message = `expected a name of its own for each column; ${headers.join(' and ')} have "${same}"`;
    context.addIssue({ code: 'custom', path: ['columns'], message });
  })
  .refine(({ archive }) => archive === undefined || !/^\.*$|[/\\]/.test(archive), {
    error: 'expected the name of a folder, without a path',
    path: ['archive'],
  })
  .refine(({ trailer }) => trailer?.includes('{count}') ?? true, {
    error: 'expected {count} in it',
    path: ['trailer'],
  });

export type CsvSettings = z.output<typeof CsvSettings>;
