package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// The types of SPDX 2.3 that a bill of materials of a Go program needs
// (spdx.github.io/spdx-spec/v2.3).
type (
	spdxDocument struct {
		Version       string             `json:"spdxVersion"`
		License       string             `json:"dataLicense"`
		ID            string             `json:"SPDXID"`
		Name          string             `json:"name"`
		Namespace     string             `json:"documentNamespace"`
		Creation      spdxCreation       `json:"creationInfo"`
		Packages      []spdxPackage      `json:"packages"`
		Relationships []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID            string          `json:"SPDXID"`
		Name          string          `json:"name"`
		Version       string          `json:"versionInfo"`
		Download      string          `json:"downloadLocation"`
		FilesAnalyzed bool            `json:"filesAnalyzed"`
		Concluded     string          `json:"licenseConcluded"`
		Declared      string          `json:"licenseDeclared"`
		Copyright     string          `json:"copyrightText"`
		Purpose       string          `json:"primaryPackagePurpose,omitempty"`
		Checksums     []spdxChecksum  `json:"checksums,omitempty"`
		References    []spdxReference `json:"externalRefs,omitempty"`
		Comment       string          `json:"comment,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxReference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

// unsaid is SPDX's word for what was not looked into: what a module's licence
// is, the build does not tell.
const unsaid = "NOASSERTION"

// bill is the program's bill of materials: the modules that the go command put
// into it, by its own account in the program, each with its go.sum.
func (b *builder) bill(program string, t target) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read the build information: %w", err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(billOf(info, sha256.Sum256(data), b.commit, t), "", "  ")
}

func billOf(info *buildinfo.BuildInfo, sum [sha256.Size]byte, c commit, t target) spdxDocument {
	digest := hex.EncodeToString(sum[:])
	version, _, _ := c.versions()
	const main = "SPDXRef-unchoke"
	doc := spdxDocument{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT",
		Name:      "unchoke " + version + " " + t.name,
		Namespace: "urn:unchoke:spdx:" + digest, // of this program and no other
		Creation:  spdxCreation{c.time.Format(time.RFC3339), []string{"Tool: unchoke-packages"}},
		Packages: []spdxPackage{{
			ID: main, Name: "unchoke", Version: version, Download: unsaid,
			Concluded: unsaid, Declared: "Apache-2.0", Copyright: unsaid, Purpose: "APPLICATION",
			Checksums: []spdxChecksum{{"SHA256", digest}},
		}},
		Relationships: []spdxRelationship{{"SPDXRef-DOCUMENT", "DESCRIBES", main}},
	}
	add := func(id, name, version, locator, comment string) {
		doc.Packages = append(doc.Packages, spdxPackage{
			ID: id, Name: name, Version: version, Download: unsaid,
			Concluded: unsaid, Declared: unsaid, Copyright: unsaid, Purpose: "LIBRARY", Comment: comment,
			References: []spdxReference{{"PACKAGE-MANAGER", "purl", locator}},
		})
		doc.Relationships = append(doc.Relationships, spdxRelationship{main, "STATIC_LINK", id})
	}
	add("SPDXRef-go-std", "std", strings.TrimPrefix(info.GoVersion, "go"), "pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go"), "the Go standard library")
	for i, m := range info.Deps {
		comment := ""
		if m.Sum != "" {
			comment = "go.sum: " + m.Sum
		}
		for m.Replace != nil {
			m = m.Replace
		}
		add(fmt.Sprintf("SPDXRef-module-%d", i+1), m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version, comment)
	}
	return doc
}
