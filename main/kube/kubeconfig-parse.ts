import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { emptyKubeconfig } from './kubeconfig.ts';
import type { EntryList, Kubeconfig, KubeconfigProblem, Located, NamedExtension } from './kubeconfig.ts';

/** Bound on one kubeconfig file in bytes. */
export const maximumKubeconfigBytes = 8 * 1024 * 1024;

// The rules of Go's JSON decoder, which is what reads the file in kubectl: null is the empty value, an unknown
// key is ignored, letter case of keys matters, and a number or a boolean is never taken for a text.
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const texts = z
  .array(text)
  .nullish()
  .transform((value) => value ?? null);
const base64 = text.transform((value, context) => {
  const packed = value.replaceAll(/[\r\n]/g, '');
  if (packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return packed;
  context.addIssue({ code: 'custom', message: 'is not base64' });
  return z.NEVER;
});
const extensions = z
  .array(z.object({ name: text, extension: z.unknown().optional() }).nullable())
  .nullish()
  .transform((list) =>
    (list ?? []).map((item): NamedExtension => ({ name: item?.name ?? '', extension: item?.extension })),
  );

const cluster = z.object({
  server: text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'certificate-authority': text,
  'certificate-authority-data': base64,
  'proxy-url': text,
  'disable-compression': flag,
  extensions,
});
const exec = z.object({
  command: text,
  args: texts,
  env: z
    .array(z.object({ name: text, value: text }))
    .nullish()
    .transform((value) => value ?? null),
  apiVersion: text,
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: text,
});
const user = z.object({
  'client-certificate': text,
  'client-certificate-data': base64,
  'client-key': text,
  'client-key-data': base64,
  token: text,
  tokenFile: text,
  as: text,
  'as-uid': text,
  'as-groups': texts,
  'as-user-extra': z
    .record(
      z.string(),
      texts.transform((value) => value ?? []),
    )
    .nullish(),
  username: text,
  password: text,
  'auth-provider': z
    .object({
      name: text,
      config: z
        .record(z.string(), text)
        .nullish()
        .transform((value) => value ?? null),
    })
    .nullish(),
  exec: exec.nullish().transform((value) => (value ? execWithDefaults(value) : undefined)),
  extensions,
});
const context = z.object({ cluster: text, user: text, namespace: text, extensions });

const entrySchemas = {
  clusters: { key: 'cluster', schema: cluster, kept: ['server'] },
  users: { key: 'user', schema: user, kept: [] },
  contexts: { key: 'context', schema: context, kept: ['cluster', 'user'] },
} as const;

/**
 * Reads one kubeconfig file (YAML or JSON). Never throws: what kubectl would refuse the whole file for is a
 * problem of the one entry where it stands, and a problem of the file only when nothing can be told from it.
 */
export function parseKubeconfig(file: string, content: string): Kubeconfig {
  const problems: KubeconfigProblem[] = [];
  const root = readRoot(content);
  if (root.kind === 'problem') return { ...emptyKubeconfig, problems: [{ file, message: root.message }] };
  const top = root.value;
  const scalar = <T>(schema: z.ZodType<T>, key: string, fallback: T): T => {
    const read = schema.safeParse(top[key]);
    if (!read.success) problems.push({ file, message: describe(key, read.error) });
    return read.success ? read.data : fallback;
  };
  const preferences = z.object({ colors: flag }).nullish();
  return {
    clusters: readEntries(file, 'clusters', top, problems) as Kubeconfig['clusters'],
    users: readEntries(file, 'users', top, problems) as Kubeconfig['users'],
    contexts: readEntries(file, 'contexts', top, problems) as Kubeconfig['contexts'],
    currentContext: scalar(text, 'current-context', ''),
    colors: scalar(preferences, 'preferences', undefined)?.colors ?? false,
    extensions: scalar(extensions, 'extensions', []),
    problems,
  };
}

type Root =
  | { readonly kind: 'root'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'problem'; readonly message: string };

function readRoot(content: string): Root {
  let value: unknown;
  try {
    // kubectl's reader knows YAML 1.1 without its times and numbers of base 60, takes the last of two equal keys,
    // and reads the first document alone.
    const [document] = parseAllDocuments(content, {
      version: '1.1',
      uniqueKeys: false,
      logLevel: 'silent',
      customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isTime(tag)),
    }) as ReturnType<typeof parseAllDocuments> & readonly unknown[];
    const error = document?.errors[0];
    if (error !== undefined) return { kind: 'problem', message: firstLine(error.message) };
    value = document?.toJS() ?? {};
  } catch (error) {
    return { kind: 'problem', message: firstLine(messageOf(error) ?? '') };
  }
  if (!isRecord(value)) return { kind: 'problem', message: 'the file is not a map of settings' };
  const { kind, apiVersion } = value;
  if ((kind ?? '') !== '' && kind !== 'Config') return { kind: 'problem', message: 'its kind is not Config' };
  if ((apiVersion ?? '') !== '' && apiVersion !== 'v1')
    return { kind: 'problem', message: 'its apiVersion is not v1' };
  return { kind: 'root', value };
}

function readEntries(
  file: string,
  list: EntryList,
  top: Readonly<Record<string, unknown>>,
  problems: KubeconfigProblem[],
): ReadonlyMap<string, Located<unknown>> {
  const entries = new Map<string, Located<unknown>>();
  const items = top[list] ?? [];
  if (!Array.isArray(items)) {
    problems.push({ file, message: `${list} is not a list` });
    return entries;
  }
  const { key, schema, kept } = entrySchemas[list];
  const seen = new Set<string>();
  for (const [index, item] of (items as unknown[]).entries()) {
    const named = z.object({ name: text, [key]: z.unknown().optional() }).safeParse(item ?? {});
    if (!named.success) {
      problems.push({ file, message: describe(`${list}[${index}]`, named.error) });
      continue;
    }
    const name = named.data.name as string;
    const entry = { list, name };
    if (seen.has(name)) {
      // Neither can be trusted to be the one that is meant.
      entries.delete(name);
      problems.push({ file, entry, message: `${list} has the name "${name}" twice` });
      continue;
    }
    seen.add(name);
    const read = schema.safeParse(named.data[key] ?? {});
    if (read.success) entries.set(name, { file, value: withoutEmpty(read.data, kept) });
    else problems.push({ file, entry, message: describe(`${list} "${name}"`, read.error) });
  }
  return entries;
}

function execWithDefaults(entry: z.infer<typeof exec>): Record<string, unknown> {
  const { interactiveMode, apiVersion } = entry;
  // v1 has to say it; v1beta1 is older than the setting.
  const mode = interactiveMode === '' && apiVersion?.endsWith('/v1beta1') ? 'IfAvailable' : interactiveMode;
  return withoutEmpty({ ...entry, interactiveMode: mode }, ['command', 'args', 'env', 'provideClusterInfo']);
}

function withoutEmpty(
  entry: Readonly<Record<string, unknown>>,
  kept: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(([key, value]) => kept.includes(key) || !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Where and what, never the value: it may be a secret. */
function describe(where: string, error: z.ZodError): string {
  const issue = error.issues[0];
  const path = issue === undefined ? '' : issue.path.map((part) => `.${String(part)}`).join('');
  const type = issue?.code === 'invalid_type' ? issue.expected : undefined;
  const what =
    type === 'string'
      ? 'is not a text; a number or a word like yes, no, y or n has to be put in quotes'
      : type === undefined
        ? (issue?.message ?? 'is invalid')
        : `is not of the type ${type}`;
  return `${where}${path} ${what}`;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}

function isTime(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.tag === 'tag:yaml.org,2002:timestamp' || tag.format === 'TIME';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
