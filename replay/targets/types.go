package targets

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A typeError reports a value of the wrong type in a targets file. The TOML decoder reports most
// of these, too, but in terms of Go types and partly without a line. If it wants a table and
// finds something else, it reports nothing.
type typeError struct {
	key   toml.Key
	want  string
	value any
}

// Error returns the message.
func (e *typeError) Error() string {
	return fmt.Sprintf("%s: want %s, got %s", e.key, e.want, printable.Value(e.value))
}

// checkTypes reports the first value, in the order of the keys, that cannot be decoded into the type.
// It ignores keys that the type does not have, which the decoder reports.
func checkTypes(key toml.Key, value any, into reflect.Type) *typeError {
	wrong := func(want string) *typeError { return &typeError{key, want, value} }
	switch into.Kind() {
	case reflect.Pointer:
		return checkTypes(key, value, into.Elem())
	case reflect.Map, reflect.Struct:
		table, ok := value.(map[string]any)
		if !ok {
			return wrong("a table")
		}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			item, known := itemType(into, name)
			if !known {
				continue
			}
			if err := checkTypes(append(slices.Clone(key), name), table[name], item); err != nil {
				return err
			}
		}
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return wrong("a list of words in quotes")
		}
		for _, item := range list {
			if err := checkTypes(key, item, into.Elem()); err != nil {
				return err
			}
		}
	case reflect.String:
		if _, ok := value.(string); !ok {
			return wrong("a word in quotes")
		}
	case reflect.Int64:
		if _, ok := value.(int64); !ok {
			return wrong("a whole number")
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return wrong("true or false")
		}
	}
	return nil
}

func itemType(table reflect.Type, name string) (reflect.Type, bool) {
	if table.Kind() == reflect.Map {
		return table.Elem(), true
	}
	for _, field := range reflect.VisibleFields(table) {
		if tag, ok := field.Tag.Lookup("toml"); ok && strings.EqualFold(tag, name) {
			return field.Type, true
		}
	}
	return nil, false
}
