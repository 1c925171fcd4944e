// Command sandbox-kubernetes is every Kubernetes component of the sandbox in one
// binary: the first argument (or the name it is called by) says which one to be.
// One link step and one file of program text in memory instead of nine.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// components maps a name to what runs it; each returns the exit code.
func components() map[string]func() int {
	run := func(create func() *cobra.Command) func() int {
		return func() int { return cli.Run(create()) }
	}
	return map[string]func() int{
		"etcd":                    runEtcd,
		"kube-apiserver":          run(apiserver.NewAPIServerCommand),
		"kube-controller-manager": runControllerManager,
		"kube-scheduler":          run(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
		"kube-proxy":              run(proxy.NewProxyCommand),
		"kubelet":                 runKubelet,
		"kubectl":                 runKubectl,
		"dns":                     runDNS,
		"certificates":            runCertificates,
	}
}

func main() {
	all := components()
	name := filepath.Base(os.Args[0])
	if _, known := all[name]; !known && len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = append([]string{name}, os.Args[2:]...)
	}
	component, known := all[name]
	if !known {
		names := make([]string, 0, len(all))
		for each := range all {
			names = append(names, each)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "sandbox-kubernetes: no component %q; it has %s\n", name, strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Exit(component())
}

func runEtcd() int {
	etcdmain.Main(os.Args)
	return 0
}

func runKubelet() int {
	return cli.Run(kubelet.NewKubeletCommand(context.Background()))
}

// runKubectl does as upstream's main does: cli.RunNoErrOutput leaves the printing of
// errors, and with it the exit code of a remote command, to kubectl itself.
func runKubectl() int {
	if err := cli.RunNoErrOutput(kubectlcmd.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
	return 0
}
