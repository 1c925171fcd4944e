package main

import (
	"fmt"
	"os"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/template"
)

// runDNS serves the cluster's names with CoreDNS and the few plugins the sandbox needs;
// its one argument is the path of a Corefile.
func runDNS() int {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dns COREFILE")
		return 2
	}
	// The order of the directives is the order of evaluation: template answers
	// NXDOMAIN for all that is left, so it comes after kubernetes.
	dnsserver.Directives = []string{"bind", "health", "errors", "cache", "hosts", "kubernetes", "template"}
	contents, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server, err := caddy.Start(caddy.CaddyfileInput{
		Filepath: os.Args[1], Contents: contents, ServerTypeName: "dns",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server.Wait()
	return 0
}
