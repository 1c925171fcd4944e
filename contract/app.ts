import { z } from 'zod';
import { clusterId } from './clusters.ts';
import { method, state } from './define.ts';
import { maximumDetachedHash, parseDetachedRoute } from './detached-route.ts';
import type { ErrorValue } from './errors.ts';

export interface AppInfo {
  readonly version: string;
  /** Build of the helper that is put into containers. */
  readonly helper: string;
  readonly platform: string;
  readonly host: 'desktop' | 'web';
  /** The user's own folder: where browsing for a project begins. */
  readonly homeFolder: string;
  /** The folder that the app was started in. */
  readonly startFolder: string;
  /** Where Slipway keeps its own files. */
  readonly stateFolder: string;
  /** A native dialog for folders; otherwise the window shows its own. */
  readonly nativeFolderDialog: boolean;
  /** Whether the one-node cluster for trying can be run here, and why not. */
  readonly sandbox:
    | { readonly kind: 'available' }
    /** `kubeconfig`: the cluster that has it as its file is the sandbox. */
    | { readonly kind: 'running'; readonly kubeconfig?: string | undefined }
    | { readonly kind: 'unavailable'; readonly reason: string };
}

/** Something that takes long, told in the status bar. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** The latest word on how far it is. */
  readonly detail: string;
  /** 0 to 1; absent while nobody knows. */
  readonly progress?: number | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly cancellable: boolean;
  readonly error?: ErrorValue | undefined;
  /** The page that it belongs to. */
  readonly route?: string | undefined;
}

/** Something that main may not decide alone; every window shows it until one of them answers. */
export interface Question {
  readonly id: string;
  readonly title: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  /** Shown as code: the command that would run, or the like. */
  readonly code?: string | undefined;
  /** The first one is the default and never the dangerous one. */
  readonly choices: readonly { readonly id: string; readonly label: string; readonly danger: boolean }[];
}

/** A small web app in the sandbox, with its source in a folder of the user's, to try a session on. */
export interface Sample {
  readonly namespace: string;
  readonly kind: 'Deployment';
  readonly name: string;
  /** Where its source is on this machine. */
  readonly folder: string;
  /** Where the container has the same files. */
  readonly containerPath: string;
  readonly port: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly hidden: boolean;
  /** What marks it as a project: package.json, go.mod, devspace.yaml and so on. */
  readonly marks: readonly string[];
}

const none = z.strictObject({});
const key = z.string().min(1).max(128);
export const localPath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'no NUL');

export const appContract = {
  'app.info': state<AppInfo>()(none),
  'app.tasks': state<{ readonly items: Readonly<Record<string, Task>> }>()(none),
  'app.cancelTask': method<Record<string, never>>()(z.strictObject({ id: key })),
  /** Forgets tasks that have ended. */
  'app.clearTasks': method<Record<string, never>>()(none),
  'app.questions': state<{ readonly items: Readonly<Record<string, Question>> }>()(none),
  'app.answer': method<Record<string, never>>()(z.strictObject({ id: key, choice: key })),
  /** Shows the host's own dialog; without `path` it was cancelled. */
  'app.chooseFolder': method<{ readonly path?: string | undefined }>()(none),
  /** Folders below one, for a dialog of the window's own. */
  'app.listFolders': method<{
    readonly path: string;
    /** Absent at the root. */
    readonly parent?: string | undefined;
    readonly entries: readonly FolderEntry[];
    /** More than could be listed. */
    readonly truncated: boolean;
  }>()(z.strictObject({ path: localPath })),
  /** Opens an https or loopback address in the user's browser; the desktop host only. */
  'app.openExternal': method<Record<string, never>>()(z.strictObject({ url: z.string().min(1).max(2048) })),
  /** Opens a window that shows one terminal or log alone, by its address; the desktop host only. */
  'app.openWindow': method<Record<string, never>>()(
    z.strictObject({
      hash: z
        .string()
        .max(maximumDetachedHash)
        .refine((hash) => parseDetachedRoute(hash) !== undefined, 'a terminal or a log'),
    }),
  ),
  /** Brings the one-node cluster for trying up, as a task, and adds its kubeconfig. Resolves with the task's id. */
  'app.startSandbox': method<{ readonly task: string }>()(none),
  /**
   * Creates the sample in a cluster that has its image (the sandbox) and its source in the user's own folder. What is
   * there already stays as it is, so asking again does no harm.
   */
  'app.createSample': method<Sample>()(
    z.strictObject({ cluster: clusterId, confirmation: z.string().max(512).optional() }),
  ),
} as const;
