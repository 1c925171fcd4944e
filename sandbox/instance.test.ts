import { describe, expect, it } from 'vitest';
import { describeInstance, instanceName, maximumInstances } from './instance.ts';

describe('an instance', () => {
  it('is named by SLIPWAY_SANDBOX and is "default" without it', () => {
    expect(instanceName({})).toBe('default');
    expect(instanceName({ SLIPWAY_SANDBOX: '' })).toBe('default');
    expect(instanceName({ SLIPWAY_SANDBOX: 'selftest' })).toBe('selftest');
  });

  it.each(['../etc', 'A', 'has space', '1st', 'x'.repeat(21)])('cannot be named %j', (name) => {
    expect(() => instanceName({ SLIPWAY_SANDBOX: name })).toThrow('cannot name a sandbox');
  });

  it('shares no address range, link, folder or namespace with another', () => {
    const all = Array.from({ length: maximumInstances }, (_, index) =>
      describeInstance(`name${index}`, index),
    );
    const keys = [
      'podRange',
      'serviceRange',
      'nodeAddress',
      'hostAddress',
      'hostLink',
      'stateFolder',
    ] as const;
    for (const key of [...keys, 'runFolder', 'networkNamespace', 'mountNamespace', 'kubeconfig'] as const) {
      expect(new Set(all.map((each) => each[key])).size, key).toBe(maximumInstances);
    }
  });

  it('has the API and DNS services at the first and tenth address of its service range', () => {
    const instance = describeInstance('other', 3);
    expect(instance.serviceRange).toBe('10.96.48.0/20');
    expect(instance.apiServiceAddress).toBe('10.96.48.1');
    expect(instance.dnsServiceAddress).toBe('10.96.48.10');
  });

  it('keeps its socket paths short enough for the kernel even with the longest name', () => {
    const instance = describeInstance('x'.repeat(20), 15);
    expect(`${instance.runFolder}/containerd.ttrpc.sock`.length).toBeLessThan(108);
  });
});
