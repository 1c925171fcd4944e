import { stat } from 'node:fs/promises';
import { delimiter } from 'node:path';
import type { Doctor, FoundTool } from '../../contract/settings.ts';
import type { RunTool } from './run-tool.ts';
import { pluginTool, tools, type KnownTool } from './tools.ts';

/** How many folders of a PATH, and how many sign-in programs, are looked at. */
const maximumFolders = 200;
const maximumPlugins = 50;

export interface DoctorDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** PATH as the login shell sets it; undefined when it could not be told. */
  readonly loginShellPath: () => Promise<string | undefined>;
  readonly findExecutable: (name: string, path: string) => Promise<string | undefined>;
  readonly isExecutable: (path: string) => Promise<boolean>;
  /** Sign-in programs that kubeconfigs name. */
  readonly plugins: () => readonly string[];
  readonly runTool: RunTool;
}

/** Looks for the programs that Slipway would use. Runs only those that it knows, and only to ask for their version. */
export function createDoctor(deps: DoctorDeps): (signal: AbortSignal) => Promise<Doctor> {
  return async (signal) => {
    const own = deps.environment['PATH'] ?? '';
    const login = await deps.loginShellPath();
    signal.throwIfAborted();
    const plugins = deps.plugins().filter((command) => command !== '');
    const wanted = [...tools, ...plugins.slice(0, maximumPlugins).map(pluginTool)];
    const [folders, found] = await Promise.all([
      describeFolders(own, login),
      Promise.all(wanted.map((tool) => lookFor(deps, tool, { own, login }, signal))),
    ]);
    return { folders, loginShell: describeLoginShell(deps.environment['SHELL'], own, login), tools: found };
  };
}

async function describeFolders(own: string, login: string | undefined): Promise<Doctor['folders']> {
  const ofApp = foldersOf(own);
  const further = foldersOf(login ?? '').filter((path) => !ofApp.includes(path));
  const all = [
    ...ofApp.map((path) => ({ path, from: 'app' as const })),
    ...further.map((path) => ({ path, from: 'login-shell' as const })),
  ];
  return Promise.all(
    all
      .slice(0, maximumFolders)
      .map(async ({ path, from }) => ({ path, from, exists: await isFolder(path) })),
  );
}

function foldersOf(path: string): readonly string[] {
  return [...new Set(path.split(delimiter).filter((folder) => folder !== ''))];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function describeLoginShell(shell: string | undefined, own: string, login: string | undefined): string {
  const name = shell ?? '/bin/sh';
  if (login === undefined)
    return `The login shell ${name} was asked for its PATH and did not tell it in time.`;
  const known = new Set(foldersOf(own));
  const more = foldersOf(login).filter((folder) => !known.has(folder)).length;
  if (more === 0) return `The login shell ${name} knows no folder that the app does not know.`;
  return `The login shell ${name} knows ${more} more ${more === 1 ? 'folder' : 'folders'} than the app; sign-in programs are looked for there too.`;
}

async function lookFor(
  deps: DoctorDeps,
  tool: KnownTool,
  paths: { readonly own: string; readonly login: string | undefined },
  signal: AbortSignal,
): Promise<FoundTool> {
  const { name, purpose } = tool;
  const place = await locate(deps, name, paths);
  if (place === undefined) return { name, purpose, problem: tool.missing };
  const hint = place.onlyLogin ? { problem: 'Found only in the PATH of the login shell.' } : {};
  if (tool.versionArgs === undefined) return { name, purpose, path: place.path, ...hint };
  const answer = await deps.runTool(place.path, tool.versionArgs, { path: place.searched, signal });
  return answer.kind === 'said'
    ? { name, purpose, path: place.path, version: answer.text, ...hint }
    : { name, purpose, path: place.path, problem: answer.reason };
}

async function locate(
  { findExecutable, isExecutable }: DoctorDeps,
  name: string,
  { own, login }: { readonly own: string; readonly login: string | undefined },
): Promise<{ readonly path: string; readonly searched: string; readonly onlyLogin: boolean } | undefined> {
  if (/[/\\]/.test(name)) {
    return (await isExecutable(name)) ? { path: name, searched: own, onlyLogin: false } : undefined;
  }
  const path = await findExecutable(name, own);
  if (path !== undefined) return { path, searched: own, onlyLogin: false };
  const elsewhere = login === undefined ? undefined : await findExecutable(name, login);
  if (elsewhere === undefined || login === undefined) return undefined;
  return { path: elsewhere, searched: login, onlyLogin: true };
}
