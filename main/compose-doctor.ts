import type { Doctor } from '../contract/settings.ts';
import type { Clock } from './base/clock.ts';
import { findExecutable, isExecutable } from './kube/find-executable.ts';
import { loginShellPath } from './kube/login-shell.ts';
import { createDoctor } from './settings/doctor.ts';
import { createRunTool } from './settings/run-tool.ts';

export interface ComposeDoctorOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Sign-in programs that the kubeconfigs name. */
  readonly plugins: () => readonly string[];
}

/** Looks for tools as the kube part looks for sign-in programs. */
export function composeDoctor(options: ComposeDoctorOptions): (signal: AbortSignal) => Promise<Doctor> {
  const { environment, clock, plugins } = options;
  return createDoctor({
    environment,
    loginShellPath: () => loginShellPath({ environment, clock }),
    findExecutable,
    isExecutable,
    plugins,
    runTool: createRunTool({ environment, clock }),
  });
}
