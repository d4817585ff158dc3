package main

import (
	"errors"
	"reflect"

	"github.com/alecthomas/kong"
)

// The parser of command lines passes words through JSON, which loses every byte
// that is not UTF-8. Names of files are bytes, so words are read here as they are.

func wordMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := popWord(ctx)
	if err == nil {
		target.SetString(word)
	}
	return err
}

// pathMapper makes a path absolute. An empty one is a slip, such as a variable
// of a script that was never set, and does not stand for the current directory.
func pathMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := popWord(ctx)
	if err != nil {
		return err
	}
	if word == "" {
		return errors.New("the path is empty (the current directory is .)")
	}
	target.SetString(kong.ExpandPath(word))
	return nil
}

func popWord(ctx *kong.DecodeContext) (string, error) {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return "", err
	}
	word, ok := token.Value.(string)
	if !ok {
		return "", errors.New("want a word")
	}
	return word, nil
}
