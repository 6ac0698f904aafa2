// Go calls C, C calls Go back, and C works by itself, until standard input ends. Each function that works has one way to it. Says when it works.
package main

/*
#include <stdint.h>
extern uint64_t goBack(uint64_t steps);
static __attribute__((noinline)) uint64_t c_work(uint64_t steps) {
    uint64_t value = steps | 1;
    for (uint64_t i = 0; i < steps; ++i) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}
static __attribute__((noinline)) uint64_t c_outer(uint64_t steps) { return c_work(steps) + 1; }
static __attribute__((noinline)) uint64_t c_calls_back(uint64_t steps) { return goBack(steps) + 1; }
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"sync"
)

//export goBack
func goBack(steps C.uint64_t) C.uint64_t { return C.uint64_t(goWork(uint64(steps))) }

//go:noinline
func goWork(steps uint64) uint64 {
	value := steps | 1
	for i := uint64(0); i < steps; i++ {
		value ^= value << 13
		value ^= value >> 7
		value ^= value << 17
	}
	return value
}

//go:noinline
func intoC(steps uint64) uint64 { return uint64(C.c_outer(C.uint64_t(steps))) }

//go:noinline
func throughC(steps uint64) uint64 { return uint64(C.c_calls_back(C.uint64_t(steps))) }

//go:noinline
func turns(stop chan bool) {
	for {
		select {
		case <-stop:
			return
		default:
			intoC(100000)
			throughC(100000)
		}
	}
}

func main() {
	stop := make(chan bool)
	var all sync.WaitGroup
	for i := 0; i < 2; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			turns(stop)
		}()
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	close(stop)
	all.Wait()
	fmt.Println("ended well")
}
