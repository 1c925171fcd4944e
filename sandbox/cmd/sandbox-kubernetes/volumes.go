package main

import (
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"k8s.io/component-base/cli"
	"k8s.io/klog/v2"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// volumeFolder is where upstream's host-path provisioner makes its volumes; fixed in its code.
const volumeFolder = "/tmp/hostpath_pv"

// runControllerManager is upstream's, plus what real provisioners do and its host-path one does
// not: a new volume can be written to by any user. Upstream's folders are for root alone (0750),
// and a host path has no fsGroup, so a non-root pod could not use its own volume.
func runControllerManager() int {
	if err := openVolumes(); err != nil {
		klog.ErrorS(err, "New volumes stay writable for root only", "folder", volumeFolder)
	}
	return cli.Run(controllermanager.NewControllerManagerCommand())
}

func openVolumes() error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	if err := watcher.Add(volumeFolder); err != nil {
		return err
	}
	go func() {
		for event := range watcher.Events {
			if event.Has(fsnotify.Create) {
				openVolume(event.Name)
			}
		}
	}()
	// What was made while no controller manager ran is caught up on.
	made, err := filepath.Glob(filepath.Join(volumeFolder, "*"))
	for _, path := range made {
		openVolume(path)
	}
	return err
}

func openVolume(path string) {
	if err := os.Chmod(path, 0o777); err != nil && !os.IsNotExist(err) {
		klog.ErrorS(err, "Cannot open a volume to all users", "path", path)
	}
}
