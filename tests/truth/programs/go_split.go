// Two functions share the work three to one, each by an inlined function of another name; one goroutine does it all.
// Says how many steps each took.
package main

import "fmt"

var sink uint64

func step(value uint64) uint64 {
	value ^= value << 13
	value ^= value >> 7
	return value ^ value<<17
}

//go:noinline
func heavy(steps uint64) {
	value := sink | 1
	for i := uint64(0); i < steps; i++ {
		value = step(value)
	}
	sink = value
}

//go:noinline
func light(steps uint64) {
	value := sink | 1
	for i := uint64(0); i < steps; i++ {
		value = step(value)
	}
	sink = value
}

type rounds struct{ heavy, light uint64 }

//go:noinline
func (all *rounds) work(count int) {
	const steps = 1000000
	for i := 0; i < count; i++ {
		heavy(3 * steps)
		light(steps)
		all.heavy += 3 * steps
		all.light += steps
	}
}

func main() {
	var all rounds
	done := make(chan bool)
	go func() {
		all.work(250)
		done <- true
	}()
	<-done
	fmt.Printf("{\"main.heavy\": %d, \"main.light\": %d}\n", all.heavy, all.light)
}
