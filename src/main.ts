import './process/harden.js';
import './process/compile-cache.js';
import { withOpenFiles } from './process/open-files.js';

await withOpenFiles(async () => {
  const { serve } = await import('./start/serve.js');
  await serve({ env: process.env });
});
