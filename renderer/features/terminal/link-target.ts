/** A link that may be opened, taken apart so that its reader sees where it leads. */
export interface LinkTarget {
  /** As it will be opened: with an ASCII host name. */
  readonly url: string;
  readonly host: string;
  /** What may mislead about where it leads, as a sentence. */
  readonly warning?: string | undefined;
}

const maximumLength = 2048;

/** Only addresses of the web; whatever else a program prints as a link does nothing. */
export function linkTarget(text: string): LinkTarget | undefined {
  if (text.length > maximumLength || !URL.canParse(text)) return undefined;
  const { protocol, host, href, username, password } = new URL(text);
  if ((protocol !== 'https:' && protocol !== 'http:') || host === '') return undefined;
  if (username !== '' || password !== '')
    return {
      url: href,
      host,
      warning: `What stands before the @ is a user name: the link leads to ${host}.`,
    };
  if (/(^|\.)xn--/.test(host))
    return { url: href, host, warning: 'The name of this host has letters that may look like others.' };
  return { url: href, host };
}
