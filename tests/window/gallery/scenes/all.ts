import type { Scenes } from '../fake/scene.ts';
import { hostileScenes } from './hostile.ts';
import { pageScenes } from './pages.ts';
import { sessionScenes } from './sessions.ts';

/** Everything that the gallery shows. */
export const scenes: Scenes = { ...pageScenes, ...sessionScenes, ...hostileScenes };
