/** What of this machine decides whether Electron can show the window. */
export interface ElectronFacts {
  /** ELECTRON_OVERRIDE_DIST_PATH: the version that its folder tells, and whether the program is in it. */
  readonly override?:
    { readonly folder: string; readonly version: string; readonly exists: boolean } | undefined;
  /** The npm package has downloaded its own. */
  readonly installed: boolean;
  /** The version that the app is built for. */
  readonly wanted: string;
  readonly platform: NodeJS.Platform;
  readonly hasDisplay: boolean;
  readonly isRoot: boolean;
  /** ELECTRON_SKIP_BINARY_DOWNLOAD is set. */
  readonly downloadForbidden: boolean;
}

/** `why` is the end of a sentence that goes on after "because" or "since". */
export type HostDecision =
  | { readonly kind: 'electron'; readonly from: 'override' | 'installed'; readonly why: string }
  /** Its download may be tried; the browser it is if that fails. */
  | { readonly kind: 'download' }
  | { readonly kind: 'browser'; readonly why: string };

/** Which host shows the window, and why. */
export function decideHost(facts: ElectronFacts): HostDecision {
  if (facts.platform === 'linux' && !facts.hasDisplay)
    return { kind: 'browser', why: 'there is no display for a window of its own' };
  if (facts.platform === 'linux' && facts.isRoot)
    return { kind: 'browser', why: "Electron's sandbox does not run as root, and is not switched off" };
  if (facts.override !== undefined) return decideOverride(facts.override, facts.wanted);
  if (facts.installed)
    return { kind: 'electron', from: 'installed', why: `Electron ${facts.wanted} is installed` };
  if (facts.downloadForbidden)
    return {
      kind: 'browser',
      why: `Electron ${facts.wanted} is not downloaded, and ELECTRON_SKIP_BINARY_DOWNLOAD is set`,
    };
  return { kind: 'download' };
}

function decideOverride(
  { folder, version, exists }: NonNullable<ElectronFacts['override']>,
  wanted: string,
): HostDecision {
  if (!exists) return { kind: 'browser', why: `there is no Electron in ${folder}` };
  if (majorOf(version) !== majorOf(wanted))
    return {
      kind: 'browser',
      why: `${folder} has Electron ${version === '' ? 'of an unknown version' : version}, not ${majorOf(wanted)}`,
    };
  return { kind: 'electron', from: 'override', why: `Electron ${version} is in ${folder}` };
}

function majorOf(version: string): string {
  return version.replace(/^v/, '').split('.', 1)[0] ?? '';
}
