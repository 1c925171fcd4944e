import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject, V1Node } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import type { Sample } from '../../contract/app.ts';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import type { Kube, ResourceType } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';

/** Where the sample goes: what `deploy.yaml` beside its source says. */
export const sampleNamespace = 'demo';
const sampleName = 'web';
const containerPath = '/app';
const port = 8080;
/** In the user's own folder, so that an editor finds it. */
const folderName = 'slipway-sample';

/** What the sample is made of, in this order. */
const types: Readonly<Record<string, ResourceType>> = {
  Namespace: resourceTypes.namespace,
  Deployment: resourceTypes.deployment,
  Service: resourceTypes.service,
};

export interface SampleOptions {
  readonly kube: Kube;
  /** The folder with `deploy.yaml` and `src`. */
  readonly from: string;
  readonly homeFolder: string;
  /** Its images are on the nodes for sure: a node that has just come up names them up to a minute late. */
  readonly hasImages?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates the sample's objects and copies its source; what is there already stays as it is. Only where a node has its
 * image: everywhere else its pods would never start.
 */
export async function createSample(options: SampleOptions): Promise<Sample> {
  const { kube, from, homeFolder, signal } = options;
  const documents = parseAllDocuments(await readFile(join(from, 'deploy.yaml'), 'utf8'));
  const objects = documents.map((document) => document.toJS() as KubernetesObject);
  if (options.hasImages !== true) await expectImages(kube, objects.flatMap(imagesOf), signal);
  for (const object of objects) {
    const type = types[object.kind ?? ''];
    if (type === undefined) throw new Error(`The sample has an object of kind ${object.kind ?? '(none)'}`);
    try {
      const namespace = type.namespaced ? sampleNamespace : undefined;
      await kube.create(type, namespace, object, { fieldManager: 'slipway-sample', signal });
    } catch (error) {
      if (!isSlipwayError(error, 'cluster.conflict')) throw error;
    }
  }
  const folder = join(homeFolder, folderName);
  await copySource(join(from, 'src'), folder);
  return { namespace: sampleNamespace, kind: 'Deployment', name: sampleName, folder, containerPath, port };
}

function imagesOf(object: KubernetesObject): readonly string[] {
  const { spec } = object as {
    spec?: { template?: { spec?: { containers?: readonly { readonly image: string }[] } } };
  };
  return (spec?.template?.spec?.containers ?? []).map(({ image }) => image);
}

async function expectImages(kube: Kube, images: readonly string[], signal?: AbortSignal): Promise<void> {
  const nodes = await nodeImages(kube, signal);
  const missing = images.find((image) => !nodes.has(`docker.io/${image}`));
  if (missing !== undefined) throw imageMissing(missing);
}

async function nodeImages(kube: Kube, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await kube.list<V1Node>(resourceTypes.node, undefined, { signal });
  return new Set(items.flatMap((node) => (node.status?.images ?? []).flatMap((image) => image.names ?? [])));
}

function imageMissing(image: string): SlipwayError {
  return new SlipwayError({
    code: 'workload.unsupported',
    message: 'The sample runs in the sandbox only.',
    cause: `No node of this cluster has its image ${image}, and no registry offers it.`,
    next: 'Choose the sandbox, or a workload of your own.',
  });
}

async function copySource(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, { recursive: true, force: false, errorOnExist: false });
  } catch (error) {
    throw new SlipwayError({
      code: 'disk.state-unusable',
      message: `The source of the sample could not be put into ${to}.`,
      next: 'Make room for it there, then create the sample again.',
      origin: error,
    });
  }
}
