import { useContext } from 'react';
import { ViewContext } from './view-state.ts';

/** Opens the dock: for whoever puts something into it. Does nothing outside the frame. */
export function useOpenDock(): () => void {
  const store = useContext(ViewContext);
  return () => store?.setState({ dockOpen: true });
}
