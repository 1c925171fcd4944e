import { z } from 'zod';
import { localPath } from './app.ts';
import { method, state } from './define.ts';

export const guards = ['none', 'confirm', 'read-only'] as const;
/** `confirm`: changes ask for a typed name. `read-only`: main refuses every change. */
export type Guard = (typeof guards)[number];

export const clusterColors = [
  'slate',
  'blue',
  'teal',
  'green',
  'amber',
  'orange',
  'red',
  'pink',
  'violet',
] as const;
export type ClusterColor = (typeof clusterColors)[number];

const clusterSettings = z.strictObject({
  guard: z.enum(guards).optional(),
  color: z.enum(clusterColors).optional(),
  /** One to three characters for the rail. */
  initials: z.string().min(1).max(3).optional(),
});

/** What the user has chosen; everything has a default, and only differences are stored. */
export const settings = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  /** 0.8 to 2. */
  zoom: z.number().min(0.8).max(2).default(1),
  reduceMotion: z.boolean().default(false),
  /** Further kubeconfig files beside the one that kubectl would take. */
  kubeconfigFiles: z.array(localPath).max(64).default([]),
  /** By the cluster's id. */
  clusters: z.record(z.string().max(128), clusterSettings).default({}),
  terminal: z
    .strictObject({
      fontSize: z.number().int().min(8).max(32).default(12),
      scrollbackLines: z.number().int().min(100).max(100_000).default(10_000),
      copyOnSelect: z.boolean().default(false),
      screenReader: z.boolean().default(false),
    })
    .prefault({}),
  sync: z
    .strictObject({
      /** Patterns that every new session begins with, as in a .gitignore. */
      excludes: z.array(z.string().max(1024)).max(1000).default(['.git/']),
    })
    .prefault({}),
  /** Chords by the action's id, where they are not the default; an empty text means none. */
  shortcuts: z.record(z.string().max(64), z.string().max(64)).default({}),
  /** Folders that sessions were started with, the latest first. */
  recentFolders: z.array(localPath).max(20).default([]),
});
export type Settings = z.output<typeof settings>;

/** Where a program was found, for PATH trouble of programs that were not started from a terminal. */
export interface FoundTool {
  readonly name: string;
  /** What Slipway would use it for. */
  readonly purpose: string;
  readonly path?: string | undefined;
  readonly version?: string | undefined;
  readonly problem?: string | undefined;
}

export interface Doctor {
  /** Folders of PATH in order. */
  readonly folders: readonly {
    readonly path: string;
    readonly exists: boolean;
    readonly from: 'app' | 'login-shell';
  }[];
  /** Whether the login shell was asked, and what stood against it. */
  readonly loginShell: string;
  readonly tools: readonly FoundTool[];
}

export const settingsContract = {
  'settings.current': state<Settings>()(z.strictObject({})),
  /** A merge patch (RFC 7396) of {@link Settings}: `null` goes back to the default. */
  'settings.update': method<Record<string, never>>()(
    z.strictObject({ patch: z.record(z.string().max(64), z.unknown()) }),
  ),
  'settings.doctor': method<Doctor>()(z.strictObject({})),
} as const;
