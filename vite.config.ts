import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The window's build. It is served under a policy that runs scripts and styles from its own origin alone, so nothing
 * is inlined: no data: fonts, no inline polyfill. The targets are older than the Chromium of Electron 45, because
 * the web host meets whatever browser the user has.
 */
export default defineConfig({
  root: 'renderer',
  base: '/',
  publicDir: 'public',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: ['chrome140', 'firefox140', 'safari18'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1024,
  },
});
