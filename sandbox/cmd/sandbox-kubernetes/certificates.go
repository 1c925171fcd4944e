package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateRequest is one certificate to issue. Names that parse as an address become
// IP subject alternative names, the others DNS names; with Names it is a serving
// certificate too. Every certificate can be used as a client's.
type certificateRequest struct {
	File         string   `json:"file"`
	CommonName   string   `json:"commonName"`
	Organization string   `json:"organization,omitempty"`
	Names        []string `json:"names,omitempty"`
}

// runCertificates makes a certificate authority, the certificates described by the JSON
// on standard input and the service accounts' key pair in the folder given.
func runCertificates() int {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: certificates FOLDER < requests.json")
		return 2
	}
	if err := writeCertificates(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func writeCertificates(folder string) error {
	var requests []certificateRequest
	if err := json.NewDecoder(os.Stdin).Decode(&requests); err != nil {
		return fmt.Errorf("requests: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	authorityKey, err := writeKey(folder, "ca")
	if err != nil {
		return err
	}
	authority := template("slipway-sandbox", "")
	authority.IsCA = true
	authority.BasicConstraintsValid = true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if err := writeCertificate(folder, "ca", authority, authority, authorityKey, authorityKey); err != nil {
		return err
	}
	for _, request := range requests {
		key, err := writeKey(folder, request.File)
		if err != nil {
			return err
		}
		leaf := template(request.CommonName, request.Organization)
		leaf.KeyUsage = x509.KeyUsageDigitalSignature
		leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		if len(request.Names) > 0 {
			leaf.ExtKeyUsage = append(leaf.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		}
		for _, name := range request.Names {
			if address := net.ParseIP(name); address != nil {
				leaf.IPAddresses = append(leaf.IPAddresses, address)
			} else {
				leaf.DNSNames = append(leaf.DNSNames, name)
			}
		}
		if err := writeCertificate(folder, request.File, leaf, authority, key, authorityKey); err != nil {
			return err
		}
	}
	return writeServiceAccountKeys(folder)
}

// template is valid from an hour ago, so that a clock set back a little does no harm.
func template(commonName, organization string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err)
	}
	subject := pkix.Name{CommonName: commonName}
	if organization != "" {
		subject.Organization = []string{organization}
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(10, 0, 0),
	}
}

func writeCertificate(folder, name string, certificate, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) error {
	bytes, err := x509.CreateCertificate(rand.Reader, certificate, parent, &key.PublicKey, parentKey)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(folder, name+".crt"), "CERTIFICATE", bytes)
}

func writeKey(folder, name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	bytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(filepath.Join(folder, name+".key"), "EC PRIVATE KEY", bytes)
}

func writeServiceAccountKeys(folder string) error {
	key, err := writeKey(folder, "service-account")
	if err != nil {
		return err
	}
	bytes, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(folder, "service-account.pub"), "PUBLIC KEY", bytes)
}

func writePEM(path, kind string, bytes []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600)
}
