import { join } from 'node:path';
import { kubeconfigWith, serviceAccount } from '../../support/service-account.ts';

/** A kubeconfig of somebody with a token who may exec, through a front that shows a certificate of its own. */
export async function accountThrough(address: string, namespace: string, folder: string): Promise<string> {
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['*'] }];
  const account = await serviceAccount({ namespace, name: 'dev', rules, folder });
  return kubeconfigWith(account, join(folder, 'kubeconfig-through'), (config) => {
    for (const { cluster } of config.clusters) {
      delete cluster['certificate-authority-data'];
      cluster['server'] = address;
      cluster['insecure-skip-tls-verify'] = true;
    }
  });
}
