//go:build !slim

package iperf3

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"unchoke/iperf3/internal/wire"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	private := filepath.Join(dir, "key.pem")
	users := filepath.Join(dir, "users")
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("{ann}secret"))
	for name, content := range map[string]string{
		private: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		users:   "ann," + hex.EncodeToString(sum[:]) + "\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	addr := stockServer(t, "--rsa-private-key-path", private, "--authorized-users-path", users)
	// 3.12 knows PKCS #1 only.
	good := Client{Login: &Login{Username: "ann", Password: "secret", ServerKey: &key.PublicKey, PKCS1Padding: true}}
	if _, err := good.Run(context.Background(), addr, Test{Bytes: 1000}); err != nil {
		t.Error(err)
	}
	var reported *ServerError
	if _, err := (&Client{}).Run(context.Background(), addr, Test{Bytes: 1000}); !errors.As(err, &reported) || reported.Code != wire.CodeAuth {
		t.Errorf("without a login: %v", err)
	}
}
