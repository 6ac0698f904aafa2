// A server and its clients, over sockets, until standard input ends: goroutines that come and go, garbage, recursion, closures, interfaces and
// deferred calls. Of the functions that work, each has one way to it. Says when it serves.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"sort"
	"sync"
)

//go:noinline
func work(steps uint64) uint64 {
	value := steps | 1
	for i := uint64(0); i < steps; i++ {
		value ^= value << 13
		value ^= value >> 7
		value ^= value << 17
	}
	return value
}

type worker interface{ do(steps uint64) uint64 }
type byInterface struct{ done uint64 }

//go:noinline
func (all *byInterface) do(steps uint64) uint64 {
	all.done += workOfInterface(steps)
	return all.done
}

//go:noinline
func workOfInterface(steps uint64) uint64 { return work(steps) + 1 }

//go:noinline
func workOfClosure(steps uint64) uint64 { return work(steps) + 2 }

//go:noinline
func workDeferred(steps uint64) { work(steps) }

//go:noinline
func workDeep(steps uint64) uint64 { return work(steps) + 3 }

//go:noinline
func down(depth int, steps uint64) uint64 {
	if depth == 0 {
		return workDeep(steps)
	}
	return down(depth-1, steps) + 4
}

//go:noinline
func defers(steps uint64) {
	defer workDeferred(steps)
}

//go:noinline
func makeGarbage(count int) int {
	names := map[string][]int{}
	for i := 0; i < count; i++ {
		name := fmt.Sprint("name ", i%97)
		names[name] = append(names[name], i)
	}
	keys := make([]string, 0, len(names))
	for name := range names {
		keys = append(keys, name)
	}
	sort.Strings(keys)
	return len(keys)
}

//go:noinline
func answer(all worker, steps uint64) uint64 {
	sum := all.do(steps)
	with := func(more uint64) uint64 { return workOfClosure(steps+more) + sum }
	sum += apply(with, 1)
	defers(steps)
	sum += down(30, steps)
	return sum + uint64(makeGarbage(2000))
}

//go:noinline
func apply(with func(uint64) uint64, more uint64) uint64 { return with(more) + 5 }

func serve(connection net.Conn) {
	defer connection.Close()
	lines := bufio.NewReader(connection)
	all := &byInterface{}
	for {
		if _, err := lines.ReadString('\n'); err != nil {
			return
		}
		fmt.Fprintln(connection, answer(all, 100000))
	}
}

func ask(address string) {
	connection, err := net.Dial("unix", address)
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	lines := bufio.NewReader(connection)
	for i := 0; i < 20; i++ {
		fmt.Fprintln(connection, "go on")
		if _, err := lines.ReadString('\n'); err != nil {
			panic(err)
		}
	}
}

func main() {
	address := fmt.Sprintf("@kymo-go-server-%d", os.Getpid())
	listener, err := net.Listen("unix", address)
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	stop := make(chan bool)
	var clients sync.WaitGroup
	for i := 0; i < 4; i++ {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for {
				select {
				case <-stop:
					return
				default:
					ask(address)
				}
			}
		}()
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	close(stop)
	clients.Wait()
	fmt.Println("ended well")
}
