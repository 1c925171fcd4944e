export function SessionTerminal(_props: { readonly session: string }) {
  return null;
}
