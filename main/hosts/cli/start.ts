import { enableCompileCache } from 'node:module';
import { cacheHome } from '../../settings/home.ts';

// Half of a short command's time would go into making the same sources runnable each time. A folder that cannot be
// written is no failure: then they are.
enableCompileCache(cacheHome(process.env, process.platform));
await import('./main.ts');
