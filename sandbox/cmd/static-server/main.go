// Command static-server says hello over HTTP: the whole of an image without shell or tar.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	address := ":8080"
	if port := os.Getenv("PORT"); port != "" {
		address = ":" + port
	}
	http.HandleFunc("/", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(response, "hello from sandbox/static:1")
	})
	log.Printf("listening on %s", address)
	log.Fatal(http.ListenAndServe(address, nil))
}
