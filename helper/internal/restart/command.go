package restart

import (
	"fmt"
	"os"
	"time"
)

// Run carries out `run`, `start`, `restart` and `exec`; false when the words are none of these. The code is to be
// exited with.
func Run(folder string, words []string) (code int, known bool) {
	if len(words) == 0 {
		return 0, false
	}
	flags, command := split(words[1:])
	switch words[0] {
	case "start":
		helper, err := os.Executable()
		if err != nil {
			return report("", err), true
		}
		told, err := Start(folder, helper)
		return report(told, err), true
	case "restart":
		told, err := Restart(folder, Grace+10*time.Second)
		return report(told, err), true
	case "run":
		if len(command) == 0 {
			return usage(), true
		}
		supervisor := Supervisor{Folder: folder, Command: command, Grace: Grace}
		for _, flag := range flags {
			if flag != "--end" {
				return usage(), true
			}
			supervisor.EndWithProgram = true
		}
		return supervisor.Run(), true
	case "exec":
		once := ""
		if len(flags) == 2 && flags[0] == "--once" {
			once = flags[1]
		} else if len(flags) != 0 {
			return usage(), true
		}
		if len(command) == 0 {
			return usage(), true
		}
		return Exec(folder, once, command), true
	default:
		return 0, false
	}
}

// split parts the words of the helper from those of the program, by `--`.
func split(words []string) (flags, command []string) {
	for index, word := range words {
		if word == "--" {
			return words[:index], words[index+1:]
		}
	}
	return words, nil
}

func usage() int {
	say("usage: run [--end] -- COMMAND… | start | restart | exec [--once KEY] -- COMMAND…")
	return 2
}

func report(told string, err error) int {
	if err != nil {
		say("%v", err)
		return 3
	}
	fmt.Println(told)
	return 0
}
