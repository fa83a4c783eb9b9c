// Command yamlread tells what Go programs read in YAML documents.
//
// It reads lines from stdin, each one document as a JSON string, and prints for each one line of JSON:
// {"sigs": VALUE, "v3": VALUE, "v2": VALUE}, where a reader that refuses the document gives
// {"error": MESSAGE} in the place of {"value": VALUE}. The readers are sigs.k8s.io/yaml (kubectl, Argo CD,
// Flux), gopkg.in/yaml.v3 (kustomize) and gopkg.in/yaml.v2 (older tools). Integers keep every digit.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	yaml2 "gopkg.in/yaml.v2"
	yaml3 "gopkg.in/yaml.v3"
	sigs "sigs.k8s.io/yaml"
)

// outcome is what one reader made of one document.
type outcome struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func viaSigs(document []byte) ([]byte, error) {
	return sigs.YAMLToJSONStrict(document)
}

func viaV3(document []byte) ([]byte, error) {
	var value any
	if err := yaml3.Unmarshal(document, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func viaV2(document []byte) ([]byte, error) {
	var value any
	if err := yaml2.UnmarshalStrict(document, &value); err != nil {
		return nil, err
	}
	plain, err := stringKeys(value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// stringKeys turns the maps of yaml.v2 into maps that JSON can say; a key that is no string is an error.
func stringKeys(value any) (any, error) {
	switch node := value.(type) {
	case map[any]any:
		out := make(map[string]any, len(node))
		for key, item := range node {
			name, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("key %v is a %T", key, key)
			}
			plain, err := stringKeys(item)
			if err != nil {
				return nil, err
			}
			out[name] = plain
		}
		return out, nil
	case []any:
		for index, item := range node {
			plain, err := stringKeys(item)
			if err != nil {
				return nil, err
			}
			node[index] = plain
		}
	}
	return value, nil
}

func read(reader func([]byte) ([]byte, error), document []byte) (result outcome) {
	defer func() {
		if caught := recover(); caught != nil {
			result = outcome{Error: fmt.Sprint(caught)}
		}
	}()
	value, err := reader(document)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	return outcome{Value: value}
}

func run() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		var document string
		if err := decoder.Decode(&document); err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		answer := map[string]outcome{
			"sigs": read(viaSigs, []byte(document)),
			"v3":   read(viaV3, []byte(document)),
			"v2":   read(viaV2, []byte(document)),
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "yamlread:", err)
		os.Exit(1)
	}
}
