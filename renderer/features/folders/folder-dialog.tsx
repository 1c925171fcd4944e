interface FolderDialogProps {
  readonly open: boolean;
  readonly start: string;
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}

/** Chooses a folder of this machine. */
export function FolderDialog(_props: FolderDialogProps) {
  return null;
}
