import type { Scenes } from '../fake/scene.ts';
import { never, Refusal } from '../fake/scene.ts';
import { info, tasks } from '../fixtures/app.ts';
import { clusterList, noClusters, preview, production, someNamespaces } from '../fixtures/clusters.ts';
import { ago, minute } from '../fixtures/clock.ts';
import * as errors from '../fixtures/errors.ts';
import { leftovers } from '../fixtures/leftovers.ts';
import * as fixtures from '../fixtures/workloads.ts';
import { at, question } from './base.ts';

const nothing = { state: 'ready', items: {} } as const;
const quiet = {
  'sessions.list': () => nothing,
  'leftovers.counts': () => ({ items: {} }),
  'terminals.list': () => ({ items: {} }),
} as const;
const web = '#/workload/c1/shop/Deployment/web';
const workloadsHash = '#/workloads/c1/shop';

const welcome: Scenes = {
  welcome: at('#/welcome'),
  'welcome-first-run': at('#/welcome', { states: { ...quiet, 'clusters.list': () => noClusters } }),
  'welcome-loading': at('#/welcome', {
    states: { ...quiet, 'clusters.list': () => never, 'app.info': () => never },
  }),
  'welcome-sandbox-starting': at('#/welcome', {
    states: {
      ...quiet,
      'clusters.list': () => ({ ...noClusters, error: errors.kubeconfigInvalid }),
      'app.tasks': () => ({
        items: {
          sandbox: {
            ...tasks.sandbox,
            state: 'running',
            progress: 0.62,
            detail: 'Starting kube-apiserver',
            cancellable: true,
            error: undefined,
          },
        },
      }),
    },
  }),
  'welcome-no-sandbox': at('#/welcome', {
    states: {
      ...quiet,
      'app.info': () => ({
        ...info,
        sandbox: { kind: 'unavailable', reason: 'It needs Linux with user namespaces.' },
      }),
    },
  }),
};

const lists: Scenes = {
  workloads: at(workloadsHash),
  'workloads-loading': at(workloadsHash, {
    states: { 'workloads.list': () => never, 'clusters.namespaces': () => never },
  }),
  'workloads-empty': at(workloadsHash, { states: { 'workloads.list': () => nothing } }),
  'workloads-partial': at(workloadsHash, {
    states: {
      'workloads.list': () => ({
        ...fixtures.workloads,
        state: 'partial',
        notes: [
          'You may not list statefulsets, daemonsets and jobs in shop: only Deployments and Pods are shown.',
        ],
      }),
      'clusters.namespaces': () => someNamespaces,
    },
  }),
  'workloads-stale': at(workloadsHash, {
    states: {
      'workloads.list': () => ({
        ...fixtures.workloads,
        state: 'stale',
        since: ago(4 * minute),
        error: errors.unreachable,
      }),
      'clusters.connection': () => ({ state: 'connecting', error: errors.unreachable }),
    },
  }),
  'workloads-error': at(workloadsHash, {
    states: {
      'workloads.list': () => ({ state: 'error', items: {}, error: errors.forbidden }),
      'clusters.namespaces': () => ({ state: 'error', items: {}, error: errors.unreachable }),
    },
  }),
  'workloads-many': at('#/workloads/c1', { states: { 'workloads.list': () => fixtures.manyWorkloads } }),
};

const workload: Scenes = {
  workload: at(web),
  'workload-loading': at(web, { states: { 'workloads.detail': () => fixtures.noDetail } }),
  'workload-empty-lists': at(web, {
    states: {
      'workloads.detail': () => ({
        ...fixtures.detail,
        workload: { ...fixtures.workload, ready: 0, desired: 0 },
        pods: nothing,
        events: nothing,
        services: [],
        owners: [],
      }),
    },
  }),
  'workload-partial': at(web, {
    states: {
      'workloads.detail': () => ({
        ...fixtures.detail,
        pods: {
          ...fixtures.detail.pods,
          state: 'partial',
          notes: ['You may not read the events of pods: why one is not ready is not known.'],
        },
        events: { state: 'error', items: {}, error: errors.forbidden },
      }),
    },
  }),
  'workload-stale': at(web, {
    states: {
      'workloads.detail': () => ({
        ...fixtures.detail,
        state: 'stale',
        since: ago(4 * minute),
        error: errors.unreachable,
      }),
    },
  }),
  'workload-gone': at(web, {
    states: { 'workloads.detail': () => ({ ...fixtures.noDetail, state: 'gone' }) },
  }),
  'workload-error': at(web, {
    states: { 'workloads.detail': () => ({ ...fixtures.noDetail, state: 'error', error: errors.forbidden }) },
  }),
  preflight: at(`${web}/preflight`, { methods: { 'workloads.preflight': () => fixtures.preflight } }),
  'preflight-error': at(`${web}/preflight`, {
    methods: { 'workloads.preflight': () => new Refusal(errors.unreachable) },
  }),
  start: at(`${web}/start`),
  'start-obstacles': at(`${web}/start`, {
    methods: {
      'workloads.plan': () => ({
        ...fixtures.plan,
        obstacles: [errors.quota, errors.portInUse],
        admission: {
          kind: 'refused',
          text: 'admission webhook "policy.example" denied the request: image tag must be signed',
        },
        quota: { kind: 'exceeded', text: 'It asks for 2 GiB, and 1 GiB is free.' },
        heldBy: { holder: 'anna', since: ago(40 * minute), live: true },
        unknown: ['Whether a NetworkPolicy lets the dev pod reach postgres.'],
      }),
    },
  }),
  'start-protected': at(web.replace('c1', 'c3') + '/start', {
    methods: {
      'workloads.plan': () => ({
        ...fixtures.plan,
        confirm: {
          type: 'shop/web',
          why: 'The context preview asks for the name of what is changed: shop/web.',
        },
      }),
    },
  }),
  'start-read-only': at(web.replace('c1', 'c2') + '/start', {
    methods: { 'workloads.plan': () => ({ ...fixtures.plan, obstacles: [errors.readOnly] }) },
  }),
  'start-empty': at(`${web}/start`, {
    states: { 'settings.current': () => ({ ...settingsWithoutFolders }) },
  }),
};

const leftoverScenes: Scenes = {
  leftovers: at('#/leftovers/c1'),
  'leftovers-loading': at('#/leftovers/c1', { states: { 'leftovers.list': () => never } }),
  'leftovers-empty': at('#/leftovers/c1', { states: { ...quiet, 'leftovers.list': () => nothing } }),
  'leftovers-partial': at('#/leftovers/c1', {
    states: {
      'leftovers.list': () => ({
        ...leftovers,
        state: 'partial',
        notes: ['You may not list leases in payments and monitoring: leftovers there are not shown.'],
      }),
    },
  }),
  'leftovers-stale': at('#/leftovers/c1', {
    states: {
      'leftovers.list': () => ({
        ...leftovers,
        state: 'stale',
        since: ago(9 * minute),
        error: errors.unreachable,
      }),
    },
  }),
  'leftovers-error': at('#/leftovers/c1', {
    states: { 'leftovers.list': () => ({ state: 'error', items: {}, error: errors.forbidden }) },
  }),
};

const settingsScenes: Scenes = {
  'settings-clusters': at('#/settings/clusters'),
  'settings-clusters-empty': at('#/settings/clusters', {
    states: { ...quiet, 'clusters.list': () => noClusters },
  }),
  'settings-kubeconfig': at('#/settings/kubeconfig', {
    states: {
      'clusters.list': () => ({
        ...clusterList,
        state: 'partial',
        notes: ['/home/dana/.kube/work.yaml: context legacy names a cluster that is not in the file.'],
        files: [
          ...clusterList.files,
          { path: '/mnt/team/kubeconfig', origin: 'KUBECONFIG', exists: false, contexts: 0 },
        ],
      }),
    },
  }),
  'settings-kubeconfig-error': at('#/settings/kubeconfig', {
    states: {
      ...quiet,
      'clusters.list': () => ({ ...noClusters, state: 'error', error: errors.kubeconfigInvalid }),
    },
  }),
  'settings-tools': at('#/settings/tools'),
  'settings-tools-loading': at('#/settings/tools', { methods: { 'settings.doctor': () => never } }),
  'settings-appearance': at('#/settings/appearance'),
  'settings-shortcuts': at('#/settings/shortcuts'),
  'settings-sync': at('#/settings/sync'),
  'settings-privacy': at('#/settings/privacy'),
};

const frame: Scenes = {
  gone: { ...at(workloadsHash), connection: 'gone' },
  refused: { ...at('#/welcome'), connection: 'refused' },
  tasks: at(workloadsHash, { states: { 'app.tasks': () => ({ items: tasks }) } }),
  question: at(workloadsHash, {
    states: { 'app.questions': () => ({ items: { q1: question, q2: { ...question, id: 'q2' } } }) },
  }),
  'protected-confirm': at(`#/workloads/${preview.id}/shop`),
  'protected-read-only': at(`#/workloads/${production.id}/shop`),
};

import { settings } from '../fixtures/settings.ts';
const settingsWithoutFolders = { ...settings, recentFolders: [] };

export const pageScenes: Scenes = {
  ...welcome,
  ...lists,
  ...workload,
  ...leftoverScenes,
  ...settingsScenes,
  ...frame,
};
