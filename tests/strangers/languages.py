"""Programs in languages whose run times do as they like with signals, stacks and code: each is compiled and run, with threads where the
language has them. What they print is the same every time.
"""

RUST = """use std::collections::HashMap;
use std::thread;
fn work(n: u64) -> u64 {
    let mut m: HashMap<u64, String> = HashMap::new();
    for i in 0..n { m.insert(i.wrapping_mul(2654435761) % 5000, format!("{}", i)); }
    m.values().map(|s| s.len() as u64).sum()
}
fn main() {
    let all: Vec<_> = (0..4).map(|i| thread::spawn(move || work(600000 + i))).collect();
    let sum: u64 = all.into_iter().map(|t| t.join().unwrap()).sum();
    let caught = std::panic::catch_unwind(|| { let v: Vec<u64> = vec![]; v[sum as usize] });
    println!("{} {}", sum, caught.is_err());
}
"""

JAVA = """public class Job {
    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int deep(int n) { return 1 + deep(n + 1); }
    public static void main(String[] a) throws Exception {
        Thread[] all = new Thread[3];
        long[] out = new long[3];
        for (int i = 0; i < 3; ++i) { final int k = i; all[i] = new Thread(() -> out[k] = fib(36 + k)); all[i].start(); }
        for (Thread t : all) t.join();
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < 200000; ++i) s.append(i % 10);
        boolean overflowed = false;
        try { deep(0); } catch (StackOverflowError e) { overflowed = true; }
        System.out.println(out[0] + out[1] + out[2] + " " + s.toString().hashCode() + " " + overflowed);
    }
}
"""

NODE = """const t = new Map(); let s = 0;
for (let i = 0; i < 1500000; ++i) { const k = 'k' + (i * 7919 % 20011); t.set(k, (t.get(k) || 0) + i % 13); }
for (const [k, v] of t) s = (s * 31 + v + k.length) % 1000000007;
const a = []; for (let i = 0; i < 300000; ++i) a.push({x: (i * 48271) % 65537, y: String(i)});
a.sort((p, q) => p.x - q.x || p.y.localeCompare(q.y));
console.log(s, a[0].x, JSON.stringify(a).length);
"""

NODE_WORKERS = """const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) {
  const out = []; let left = 3;
  for (let k = 0; k < 3; ++k) new Worker(__filename, { workerData: k }).on('message', (v) => { out[k] = v; if (!--left) console.log(out.join(' ')); });
} else {
  const m = {}; let s = 0;
  for (let i = 0; i < 600000; ++i) { const k = 'k' + (i * 31 + workerData) % 5003; m[k] = (m[k] || 0) + i; s = (s + m[k]) % 1000003; }
  parentPort.postMessage(s);
}
"""

GO = """package main

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"sync"
)

func work(n int) int {
	m := map[int]string{}
	for i := 0; i < n; i++ {
		m[i*2654435761%5000] = fmt.Sprint(i)
	}
	keys := []int{}
	for k := range m {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	sum := sha256.Sum256([]byte(fmt.Sprint(keys)))
	return int(sum[0]) + len(m)
}

func main() {
	var all sync.WaitGroup
	out := make([]int, 8)
	for i := range out {
		all.Add(1)
		go func(i int) { defer all.Done(); out[i] = work(200000 + i) }(i)
	}
	all.Wait()
	fmt.Println(out)
}
"""

CGO = """package main

// #include <stdlib.h>
// extern long back(long);
// static int down(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }
// static long job(int n) {
//   int* all = malloc(n * sizeof *all); long sum = 0;
//   for (int i = 0; i < n; ++i) all[i] = (int)((i * 48271L) % 65537);
//   qsort(all, n, sizeof *all, down);
//   for (int i = 0; i < n; ++i) sum += i % 1000 ? (long)all[i] * i % 101 : back(i);
//   free(all);
//   return sum;
// }
import "C"
import (
	"fmt"
	"sync"
)

//export back
func back(n C.long) C.long {
	s := map[int]int{}
	for i := 0; i < 50; i++ {
		s[i%7] += int(n)
	}
	return C.long(len(s))
}

func main() {
	var all sync.WaitGroup
	out := make([]int64, 6)
	for i := range out {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			for turn := 0; turn < 4; turn++ {
				out[i] += int64(C.job(C.int(100000 + 1000*i)))
			}
		}(i)
	}
	all.Wait()
	fmt.Println(out)
}
"""

SCHEME = """(define (job n)
  (let loop ((i 0) (t (make-hash-table)) (s 0))
    (if (= i n) s
        (begin (hash-set! t (modulo (* i 7919) 9973) i)
               (loop (+ i 1) t (modulo (+ (* s 31) (hash-ref t (modulo (* i 7919) 9973))) 1000003))))))
(display (job 900000)) (newline)
"""

OCAML = """module M = Map.Make (Int)
exception Found of int
let rec fill i m = if i = 400000 then m else fill (i + 1) (M.add (i * 7919 mod 20011) i m)
let () =
  let m = fill 0 M.empty in
  let sum = M.fold (fun k v s -> (s + (k * v)) mod 1000003) m 0 in
  let found = ref 0 in
  for i = 0 to 300000 do try if i mod 3 = 0 then raise (Found i) with Found k -> found := (!found + k) mod 1000003 done;
  Printf.printf "%d %d\\n" sum !found
"""

HASKELL = """import Control.Concurrent
import qualified Data.Map.Strict as M
work :: Int -> Int
work n = M.foldl' (\\s v -> (s * 31 + v) `mod` 1000003) 0 (go 0 M.empty)
  where go i m | i == n = m
               | otherwise = go (i + 1) (M.insert (i * 7919 `mod` 20011) i m)
main :: IO ()
main = do
  vars <- mapM (\\k -> do { v <- newEmptyMVar; _ <- forkIO (putMVar v $! work (200000 + k)); return v }) [1 .. 6]
  out <- mapM takeMVar vars
  print out
"""

LISP = """(defun job (n)
  (let ((h (make-hash-table)) (s 0))
    (dotimes (i n s)
      (setf (gethash (mod (* i 7919) 20011) h) (list i s))
      (setf s (mod (+ (* s 31) (first (gethash (mod i 20011) h '(0)))) 1000003)))))
(compile 'job)
(let ((threads (loop for i below 3 collect (let ((i i)) (sb-thread:make-thread (lambda () (job (+ 1500000 i))))))))
  (print (mapcar #'sb-thread:join-thread threads)) (terpri))
(print (handler-case (labels ((deep (n) (+ 1 (deep (+ n 1))))) (deep 0)) (storage-condition () 'exhausted))) (terpri)
"""

CSHARP = """using System; using System.Collections.Generic; using System.Threading;
class Job {
    static long Work(int n) {
        var m = new Dictionary<int, string>(); long s = 0;
        for (int i = 0; i < n; ++i) {
            m[i * 7 % 20011] = i.ToString(); s += m.Count;
            try { if (i % 5000 == 0) throw new Exception("x"); if (i % 7001 == 0) { string none = null; s += none.Length; } }
            catch (NullReferenceException) { ++s; } catch (Exception e) { s += e.Message.Length; }
        }
        return s;
    }
    static void Main() {
        var o = new long[3]; var t = new Thread[3];
        for (int i = 0; i < 3; ++i) { int k = i; t[i] = new Thread(() => o[k] = Work(600000 + k)); t[i].Start(); }
        foreach (var x in t) x.Join();
        Console.WriteLine(string.Join(" ", o));
    }
}
"""

ERLANG = """-module(job). -export([main/0]).
work(N) -> lists:foldl(fun(I, S) -> (S * 31 + I rem 97) rem 1000003 end, 0, lists:seq(1, N)).
main() -> Me = self(), All = lists:seq(1, 8), [spawn(fun() -> Me ! {K, work(300000 + K)} end) || K <- All],
  io:format("~p~n", [[receive {K, V} -> V end || K <- All]]), halt(0).
"""

FILES = {"job.rs": RUST, "Job.java": JAVA, "job.js": NODE, "workers.js": NODE_WORKERS, "job.go": GO, "cgo.go": CGO, "job.scm": SCHEME, "job.ml": OCAML,
         "Job.hs": HASKELL, "job.lisp": LISP, "job.cs": CSHARP, "job.erl": ERLANG}

GO_HERE = "export GO111MODULE=off GOCACHE=$PWD/gocache GOPATH=$PWD/gopath"

JOBS = [
    ("rustc", ["rustc"], "rustc -O -g job.rs -o job-rust 2>/dev/null && ./job-rust 2>/dev/null"),
    ("node", ["node"], "node job.js"),
    ("node-gc", ["node"], "node --max-old-space-size=64 -e 'let s=0;for(let i=0;i<400;++i){const a=[];for(let j=0;j<20000;++j)a.push({i,j});s+=a.length}console.log(s)'"),
    ("node-workers", ["node"], "node workers.js"),
    ("java", ["java", "javac"], "javac Job.java && java -Xmx256m Job"),
    ("go-build", ["go"], f"{GO_HERE}; go build -o job-go job.go && ./job-go"),
    ("go-static", ["go"], f"{GO_HERE} CGO_ENABLED=0; go build -o job-go job.go && GODEBUG=asyncpreemptoff=0 ./job-go"),
    ("cgo", ["go", "gcc"], f"{GO_HERE}; go build -o job-cgo cgo.go && ./job-cgo"),
    ("guile", ["guile"], "guile --no-auto-compile job.scm"),
    ("ocaml", ["ocamlopt"], "ocamlopt -o job-ocaml job.ml && ./job-ocaml"),
    ("ghc", ["ghc"], "ghc -v0 -O -threaded -rtsopts Job.hs -o job-haskell && ./job-haskell +RTS -N2"),
    ("sbcl", ["sbcl"], "sbcl --noinform --no-sysinit --no-userinit --disable-debugger --load job.lisp --quit 2>/dev/null"),
    ("mono", ["mcs", "mono"], "mcs job.cs && mono job.exe"),
    ("erlang", ["erlc", "erl"], "erlc job.erl && erl -noshell -s job main"),
    ("luajit", ["luajit"], "luajit -e 'local t={} for i=1,60000000 do t[i%9973]=(t[i%9973] or 0)+i end print(t[1])'"),
]
