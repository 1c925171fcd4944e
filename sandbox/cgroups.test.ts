import { expect, it } from 'vitest';
import { cgroupHierarchies } from './cgroups.ts';

it('finds every cgroup hierarchy, version 1, version 2 and both at once', () => {
  const version1 =
    'cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n';
  const unified = 'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n';
  const others = 'proc /proc proc rw 0 0\ntmpfs /sys/fs/cgroup tmpfs rw 0 0\n';
  expect(cgroupHierarchies(others + version1)).toEqual(['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/memory']);
  expect(cgroupHierarchies(`${others}cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n`)).toEqual(['/sys/fs/cgroup']);
  expect(cgroupHierarchies(others + version1 + unified)).toHaveLength(3);
});
