import './harden.js';
import './compile-cache.js';
import { withOpenFiles } from './open-files.js';

await withOpenFiles(async () => {
  const { serve } = await import('./serve.js');
  await serve({ env: process.env });
});
