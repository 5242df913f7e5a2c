import { hasBasic, startVendor, type VendorAnswer } from './vendor-server.js';

export const REPORT_PATH = '/ccx/service/customreport2/acme/lmcneil/Rollgate_Workers';
const PASSWORD = 'isu-password-1';

/** A Workday host with one report that has a prompt. */
export const startWorkday = async (answer: () => VendorAnswer) => {
  const server = await startVendor((request) => {
    if (!hasBasic(request, 'ISU Rollgate@acme', PASSWORD)) return { status: 401 };
    if (request.path !== REPORT_PATH) return { status: 404 };
    if (request.query.get('format') !== 'json') return { body: '<wd:Report_Data/>' };
    if (!request.query.has('Organizations!WID')) return { status: 400, body: 'prompt' };
    return answer();
  });
  const settings = {
    baseUrl: server.url,
    tenant: 'acme',
    owner: 'lmcneil',
    report: 'Rollgate_Workers',
    user: 'ISU Rollgate',
    password: PASSWORD,
    prompts: { 'Organizations!WID': ['a1', 'b2'] },
  };
  return { ...server, settings };
};
