import { secretField, z } from '../../src/plugin/api.js';

/** Standard fields of the dataset `employee`. */
const FIELDS = [
  'firstName',
  'lastName',
  'preferredName',
  'email',
  'hireDate',
  'terminationDate',
  'employmentStatus',
  'jobInformationJobTitle',
  'jobInformationDepartment',
  'jobInformationDivision',
  'jobInformationLocation',
  'supervisorEid',
];

export const BambooSettings = z.strictObject({
  companyDomain: z
    .string()
    .regex(/^[a-z0-9-]+$/i, 'expected the first part of your BambooHR address')
    .describe('The first part of your BambooHR address: acme of acme.bamboohr.com.'),
  apiKey: secretField().describe('The API key of a user who may see all employees.'),
  fields: z
    .array(z.string().min(1))
    .max(398)
    .default(FIELDS)
    .describe('Fields of the dataset to read, besides eeid and status.'),
  dataset: z.string().min(1).default('employee').describe('The dataset that lists employees.'),
  baseUrl: z
    .url()
    .optional()
    .describe('The address before /v1, if it is not https://<companyDomain>.bamboohr.com/api.'),
});

export type BambooSettings = z.infer<typeof BambooSettings>;
