/** A program that Slipway would use, and how it is asked for its version. */
export interface KnownTool {
  readonly name: string;
  readonly purpose: string;
  /** What it means when it is not there. */
  readonly missing: string;
  /** Undefined: it is not run. */
  readonly versionArgs?: readonly string[] | undefined;
}

export const tools: readonly KnownTool[] = [
  {
    name: 'kubectl',
    purpose: 'For your own use; Slipway does not need it.',
    missing: 'Not found; nothing here needs it.',
    versionArgs: ['version', '--client'],
  },
  {
    name: 'helm',
    purpose: 'Deploys charts.',
    missing: 'Not found; needed only for projects that deploy charts.',
    versionArgs: ['version', '--short'],
  },
  {
    name: 'kustomize',
    purpose: 'Builds kustomizations.',
    missing: 'Not found; needed only for projects that use kustomize.',
    versionArgs: ['version'],
  },
  {
    name: 'docker',
    purpose: 'Builds images.',
    missing: 'Not found; needed only to build images on this machine.',
    versionArgs: ['--version'],
  },
  {
    name: 'git',
    purpose: 'Fetches projects that others depend on.',
    missing: 'Not found; needed only for projects that depend on repositories.',
    versionArgs: ['--version'],
  },
];

/** Sign-in programs that are known well enough to ask for their version. Any other is code that nobody has agreed to run. */
const knownPlugins: Readonly<Record<string, readonly string[]>> = {
  aws: ['--version'],
  'aws-iam-authenticator': ['version'],
  az: ['version'],
  doctl: ['version'],
  gcloud: ['--version'],
  'gke-gcloud-auth-plugin': ['--version'],
  kubelogin: ['--version'],
  tsh: ['version', '--client'],
};

/** A program that a kubeconfig names for signing in. */
export function pluginTool(command: string): KnownTool {
  return {
    name: command,
    purpose: 'Signs in where a kubeconfig asks for it.',
    missing: 'Not found; contexts that sign in by it cannot connect.',
    // A path is the kubeconfig's own choice of a file, whatever it is called.
    versionArgs: Object.hasOwn(knownPlugins, command) ? knownPlugins[command] : undefined,
  };
}
