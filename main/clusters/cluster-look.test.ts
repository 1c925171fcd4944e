import { describe, expect, it } from 'vitest';
import { clusterColors } from '../../contract/settings.ts';
import { chooseLooks, suggestGuard } from './cluster-look.ts';

function initialsOf(...names: readonly string[]): string[] {
  const looks = chooseLooks(names.map((context) => ({ id: context, context })));
  return names.map((name) => looks.get(name)?.initials ?? '');
}

describe('initials', () => {
  it.each([
    ['staging', 'ST'],
    ['my-cluster', 'MC'],
    ['gke_acme-1_europe-west1-b_shop-prod', 'SP'],
    ['arn:aws:eks:eu-west-1:123456789012:cluster/payments', 'PA'],
    ['kubernetes-admin@kubernetes', 'KU'],
    ['kind-3', 'K3'],
    ['x', 'X'],
    ['Zürich', 'ZÜ'],
    ['---', '?'],
    ['', '?'],
  ])('of %s are %s', (name, expected) => {
    expect(initialsOf(name)).toEqual([expected]);
  });

  it('are distinct', () => {
    expect(initialsOf('staging', 'store', 'st', 'stage-test')).toEqual(['ST', 'SO', 'S', 'SA']);
    const many = initialsOf(...Array.from({ length: 60 }, (_, index) => `aa-${'a'.repeat(index)}`));
    expect(new Set(many).size).toBe(60);
    for (const initials of many) expect(initials.length).toBeLessThanOrEqual(3);
  });
});

describe('colours', () => {
  it('are distinct while there are enough, the same for one name, and never red', () => {
    const calm = clusterColors.length - 1;
    const names = Array.from({ length: calm }, (_, index) => `cluster-${index}`);
    const looks = chooseLooks(names.map((context) => ({ id: context, context })));
    expect(new Set([...looks.values()].map(({ color }) => color)).size).toBe(calm);
    expect([...looks.values()].map(({ color }) => color)).not.toContain('red');
    const [alone] = chooseLooks([{ id: 'a', context: 'cluster-0' }]).values();
    expect(alone?.color).toBe(looks.get('cluster-0')?.color);
  });
});

describe('a name', () => {
  it.each([
    ['prod', 'read-only'],
    ['gke_acme_eu_prod-1', 'read-only'],
    ['prod1', 'read-only'],
    ['eu-live', 'read-only'],
    ['PRODUCTION', 'read-only'],
    ['preprod', 'confirm'],
    ['pre-prod', 'confirm'],
    ['non-prod', undefined],
    ['product-search', undefined],
    ['livestock', undefined],
    ['staging', undefined],
    ['', undefined],
  ])('%s suggests %s', (name, guard) => {
    expect(suggestGuard(name)).toBe(guard);
  });

  it('of the cluster counts too', () => {
    expect(suggestGuard('shop', 'acme-prod')).toBe('read-only');
    expect(suggestGuard('pre-prod', 'staging')).toBe('confirm');
  });
});
