import { describe, expect, it } from 'vitest';
import { findObstacle, missingPackages, type Host } from './requirements.ts';

const fitting: Host = { platform: 'linux', architecture: 'x64', userId: 0, hasProgram: () => true };

describe('what the sandbox needs', () => {
  it('is there on a fitting machine', () => {
    expect(findObstacle(fitting)).toBeUndefined();
  });

  it('includes Linux', () => {
    const obstacle = findObstacle({ ...fitting, platform: 'darwin', userId: 501 });
    expect(obstacle?.message).toContain('needs Linux');
    expect(obstacle?.message).toContain('darwin');
  });

  it('includes a processor it was made for', () => {
    expect(findObstacle({ ...fitting, architecture: 's390x' })?.message).toContain('s390x');
  });

  it('includes root, and says how to become it', () => {
    const obstacle = findObstacle({ ...fitting, userId: 1000 });
    expect(obstacle?.message).toContain('needs root');
    expect(obstacle?.nextStep).toContain('sudo');
  });

  it('includes Debian packages, each named once in the line that installs them', () => {
    const host: Host = {
      ...fitting,
      hasProgram: (program) => !['containerd', 'ctr', 'iptables'].includes(program),
    };
    expect(missingPackages(host)).toEqual(['containerd', 'iptables']);
    const nextStep = findObstacle(host)?.nextStep;
    expect(nextStep).toContain('apt-get install --no-install-recommends containerd iptables\n');
    expect(nextStep).toContain('--install-packages');
  });
});
