"""What Debian's own programs are given to do: real jobs, the same every time.

A job is a name, the programs that it needs, and a shell line. It runs in an empty folder of its own, with what `prepare` made there
first. Its output and status must not depend on time; what does is sent to /dev/null by the line itself.
"""

import languages
import servers

TEMPLATES = "".join(
    f"template <int N> struct F{k} {{ static constexpr long value = F{k}<N - 1>::value + F{k}<N - 2>::value % {k + 7}; }};\n"
    f"template <> struct F{k}<0> {{ static constexpr long value = 1; }};\n"
    f"template <> struct F{k}<1> {{ static constexpr long value = 1; }};\n" for k in range(40)
) + "#include <map>\n#include <regex>\n#include <string>\n" + \
    "long all() { long s = 0; " + " ".join(f"s += F{k}<400>::value;" for k in range(40)) + \
    " std::map<std::string, std::regex> m; m.emplace(\"a\", std::regex(\"x+\")); return s + long(m.size()); }\n"

C_SOURCE = "#include <stdio.h>\nint main(void) { double s = 0; for (int i = 1; i < 20000000; ++i) s += 1.0 / i; printf(\"%.6f\\n\", s); return 0; }\n"

PYTHON = """import hashlib, json, re, threading, zlib
def job(k):
    words = [hashlib.sha256(str(i * k).encode()).hexdigest() for i in range(120000)]
    text = json.dumps(words)
    return len(re.findall('a[0-9]b', text)), zlib.crc32(text.encode())
out = {}
threads = [threading.Thread(target=lambda k=k: out.__setitem__(k, job(k))) for k in (1, 2, 3)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(out.items()))
"""

PERL = "my %h; for my $i (1..3000000) { $h{$i % 9973} .= chr(65 + $i % 26) } my $n = 0; for (sort keys %h) { $n += () = $h{$_} =~ /A.B|Z/g } print \"$n\\n\";"

SQL = "create table t(a integer primary key, b text, c real);\n" \
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) insert into t select i, hex(i * 7919 % 65537), i / 3.0 from n;\n" \
      "create index tb on t(b);\nselect count(*), sum(length(b)), round(avg(c), 3) from t;\n" \
      "select b, count(*) from t group by b order by 2 desc, 1 limit 3;\n"

FORTRAN = """program job
  real(8) :: a(300,300), b(300,300), c(300,300)
  integer :: i
  do i = 1, 300
    a(i,:) = i * 0.5d0
    b(i,:) = 1d0 / i
  end do
  do i = 1, 12
    c = matmul(a, b)
    a = c / maxval(c)
  end do
  print '(F12.6)', sum(a)
end program
"""

LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 100
run 300
"""

GROMACS = """printf '#include "oplsaa.ff/forcefield.itp"\\n#include "oplsaa.ff/spce.itp"\\n[ system ]\\nwater\\n[ molecules ]\\n' > topol.top
printf 'integrator = md\\ndt = 0.001\\nnsteps = 20\\nrcoulomb = 0.9\\nrvdw = 0.9\\ncoulombtype = PME\\nconstraints = h-bonds\\nnstlog = 20\\nnstenergy = 20\\n' > md.mdp
printf 'gen-vel = yes\\ngen-temp = 300\\ngen-seed = 7\\nld-seed = 7\\n' >> md.mdp
gmx -quiet solvate -cs spc216 -box 2.2 2.2 2.2 -o water.gro -p topol.top >/dev/null 2>&1; echo solvate $?
gmx -quiet grompp -f md.mdp -c water.gro -p topol.top -o md.tpr -maxwarn 3 >/dev/null 2>&1; echo grompp $?
gmx -quiet mdrun -s md.tpr -ntmpi 1 -ntomp 2 -pin off -reprod -deffnm out >/dev/null 2>&1; echo mdrun $?
sed -n '/Energies/,/Temp/p' out.log | head -n 8 | tr -s ' ' | cut -c 1-40
"""

PREPARE = {
    **languages.FILES, **servers.FILES, "templates.cpp": TEMPLATES, "job.c": C_SOURCE, "job.py": PYTHON, "job.sql": SQL, "job.f90": FORTRAN,
    "melt.in": LAMMPS, "water.sh": GROMACS,
    "Makefile": "all: $(patsubst %,o%.o,1 2 3 4 5 6)\no%.o: job.c\n\tgcc -O2 -c job.c -o $@\n",
}

def text():
    """The lines of text.txt, 14 MB of them, one by one: what the runner holds in memory would be counted as the jobs'."""
    return (f"{i * 7919 % 10007} the quick brown fox {i} jumps over {i * i % 97}\n" for i in range(250000))


# name, programs, line
JOBS = [
    *languages.JOBS,
    *servers.JOBS,
    ("python3", ["python3"], "python3 job.py"),
    ("python3-subprocess", ["python3"], "python3 -c \"import subprocess;print(sum(len(subprocess.run(['echo',str(i)],capture_output=True).stdout) for i in range(60)))\""),
    ("python3-compileall", ["python3"], "mkdir -p lib && cp /usr/lib/python3*/[a-m]*.py lib/ && python3 -m compileall -q -f lib && ls lib | wc -l"),
    ("python3-tests", ["python3"], "python3 -m test -q -o test_posix test_mmap test_thread test_ctypes test_gc test_exceptions test_generators test_coroutines 2>&1 | grep -E '^Tests result|failed|error:'"),
    ("python3-signals", ["python3"], "python3 -m test -q -o test_threadsignals test_faulthandler test_fork1 2>&1 | grep -E '^Tests result|failed|error:'"),
    ("python3-pool", ["python3"], "python3 -c \"import multiprocessing as m;p=m.Pool(3);print(sum(p.map(hash,range(200000))));p.close();p.join()\""),
    ("perl", ["perl"], f"perl -e '{PERL}'"),
    ("tcl", ["tclsh"], "echo 'for {set i 0} {$i < 1500000} {incr i} {incr a([expr {$i % 97}]) $i}; puts [lsort -integer [array names a]]' | tclsh"),
    ("ruby", ["ruby"], "ruby -e 'h=Hash.new(0); 3000000.times{|i| h[i%9973]+=i}; puts h.values.sum'"),
    ("php", ["php"], "php -r '$a=[]; for($i=0;$i<12000000;++$i){$a[$i%9973]=($a[$i%9973]??0)+$i;} echo array_sum($a),\"\\n\";'"),
    ("lua", ["lua5.4"], "lua5.4 -e 'local t={} for i=1,24000000 do t[i%9973]=(t[i%9973] or 0)+i end print(t[1])'"),
    ("sqlite3", ["sqlite3"], "sqlite3 :memory: < job.sql"),
    ("gcc", ["gcc"], "gcc -O2 job.c -o job-c && ./job-c"),
    ("g++-templates", ["g++"], "g++ -std=c++20 -O1 -ftemplate-depth=2000 -c templates.cpp && nm -C templates.o | grep -c 'all()'"),
    ("clang", ["clang"], "clang -O2 job.c -o job-clang && ./job-clang"),
    ("gfortran", ["gfortran"], "gfortran -O2 job.f90 -o job-f && ./job-f"),
    ("gnat", ["gnatmake"], "printf 'with Ada.Text_IO; procedure Hello is S : Long_Float := 0.0; begin for I in 1 .. 20_000_000 loop S := S + 1.0 / Long_Float (I); end loop; Ada.Text_IO.Put_Line (Long_Float (S)%%Image); end Hello;' | tr '%' \"'\" | sed \"s/''/'/g\" > hello.adb && gnatmake -q hello.adb && ./hello"),
    ("fpc", ["fpc"], "printf 'program p; var i: longint; s: double; begin s := 0; for i := 1 to 30000000 do s := s + 1/i; writeln(s:0:6); end.' > p.pas && fpc -v0 p.pas >/dev/null && ./p"),
    ("make-j2", ["make", "gcc"], "make -s -j2 -B all && ls o*.o | wc -l"),
    ("xz-threads", ["xz"], "xz -T2 -6 -k -c text.txt | sha256sum"),
    ("zstd-threads", ["zstd"], "zstd -T2 -12 -q -c text.txt | zstd -dc | sha256sum"),
    ("gzip", ["gzip"], "gzip -9 -n -c text.txt | sha256sum"),
    ("bzip2", ["bzip2"], "bzip2 -c text.txt | sha256sum"),
    ("lz4", ["lz4"], "lz4 -9 -q -c text.txt | sha256sum"),
    ("zip", ["zip", "unzip"], "zip -q -X - text.txt | wc -c | awk '{print ($1 > 1000)}'"),
    ("openssl-digest", ["openssl"], "for i in 1 2 3 4 5 6; do openssl dgst -sha512 text.txt; openssl dgst -sha3-256 text.txt; done"),
    ("openssl-cipher", ["openssl"], "for i in 1 2 3 4; do openssl enc -aes-256-cbc -pbkdf2 -pass pass:a -S 0011223344556677 -in text.txt | sha256sum; done"),
    ("openssl-speed", ["openssl"], "for i in sha512 aes-256-gcm chacha20-poly1305; do openssl speed -seconds 1 -bytes 8192 -evp $i 2>/dev/null | tail -n 1 | cut -d ' ' -f 1; done; openssl speed -seconds 1 rsa2048 2>/dev/null | tail -n 1 | cut -d ' ' -f 1"),
    ("openssl-keys", ["openssl"], "openssl genrsa 3072 2>/dev/null | wc -l | awk '{print ($1 > 20)}'"),
    ("ssh-keygen", ["ssh-keygen"], "ssh-keygen -q -t rsa -b 3072 -N '' -f key && ssh-keygen -l -f key | awk '{print $1}'"),
    ("git", ["git"], "git init -q r && cd r && for i in 1 2 3 4 5 6; do head -c $((i*200000)) ../text.txt > f$i; git add .; GIT_AUTHOR_DATE=@$i+0000 GIT_COMMITTER_DATE=@$i+0000 git -c user.name=a -c user.email=a@b commit -qm $i; done; git gc -q && git fsck 2>/dev/null; git log --format=%H"),
    ("bash-pipelines", ["bash"], "bash -c 'for i in $(seq 80); do echo $i | sed s/1/x/ | tr x y | cat; done' | sha256sum"),
    ("sort", ["sort"], "sort -k2 -n text.txt | sort -r | sha256sum"),
    ("awk", ["awk"], "awk '{n[$1 % 101] += $6} END {for (i = 0; i < 101; ++i) print n[i]}' text.txt | sha256sum"),
    ("grep-sed", ["sed"], "grep -E '([0-9])[0-9]*\\1 jumps' text.txt | sed -E 's/(quick) (brown)/\\2 \\1/g' | sha256sum"),
    ("tar", ["tar"], "tar --sort=name --mtime=@0 --owner=0 --group=0 -cf - text.txt job.c | gzip -n | sha256sum"),
    ("ffmpeg", ["ffmpeg"], "ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=25:duration=3 -c:v libx264 -threads 2 -preset medium -bitexact -f h264 - | wc -c | awk '{print ($1 > 1000)}'"),
    ("ffmpeg-filter", ["ffmpeg"], "ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=25:duration=3 -vf gblur=4,hflip -f framemd5 - | tail -n 2"),
    ("imagemagick", ["convert"], "convert -size 400x400 plasma:fractal -seed 3 -blur 0x4 -resize 50% rgb:- | wc -c"),
    ("chromium", ["chromium"], "chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --user-data-dir=$PWD/profile --dump-dom 'data:text/html,<script>let s=0;for(let i=0;i<3e7;++i)s+=i%7;document.title=s;document.body.textContent=s</script>' 2>/dev/null | grep -o '[0-9]*' | tail -n 1"),
    ("gdb", ["gdb", "gcc"], "gcc -g job.c -o job-gdb && gdb -q -batch -ex 'break main' -ex run -ex 'print 6*7' -ex continue ./job-gdb 2>/dev/null | grep -E '42|^[0-9]+\\.'"),
    ("valgrind", ["valgrind"], "valgrind -q --error-exitcode=9 /bin/ls /etc/hostname"),
    ("strace", ["strace"], "strace -f -o /dev/null sh -c 'echo a | cat'"),
    ("cmake-ninja", ["cmake", "ninja", "gcc"], "printf 'cmake_minimum_required(VERSION 3.20)\\nproject(p C)\\nadd_executable(j job.c)\\n' > CMakeLists.txt && cmake -G Ninja -S . -B b >/dev/null && ninja -C b >/dev/null && b/j"),
    ("mpirun", ["mpirun"], "mpirun --allow-run-as-root --oversubscribe -n 2 hostname | wc -l"),
    ("lammps", ["lmp"], "lmp -in melt.in -log none | grep -A 4 '^Step'"),
    ("lammps-ranks", ["lmp", "mpirun"], "mpirun --allow-run-as-root --oversubscribe -n 2 lmp -in melt.in -log none | grep -A 4 '^Step'"),
    ("gromacs", ["gmx"], "sh water.sh"),
    ("curl-file", ["curl"], "curl -s file://$PWD/text.txt | sha256sum"),
    ("gpg", ["gpg"], "gpg --homedir $PWD --batch --yes --quiet --passphrase a --pinentry-mode loopback -c -o t.gpg text.txt 2>/dev/null; gpg --homedir $PWD --batch --quiet --passphrase a --pinentry-mode loopback -d t.gpg 2>/dev/null | sha256sum; gpgconf --homedir $PWD --kill all"),
    ("groff", ["groff"], "head -n 3000 text.txt | groff -Tascii 2>/dev/null | sha256sum"),
    ("xmllint", ["xmllint"], "(echo '<a>'; sed 's/.*/<b>&<\\/b>/' text.txt; echo '</a>') | xmllint --format - | sha256sum"),
    ("jq", ["jq"], "seq 300000 | jq -s 'map(. * 2) | add'"),
    ("bc", ["bc"], "echo 'scale=1500; 4*a(1)' | bc -l | sha256sum"),
    ("objdump", ["objdump"], "objdump -d --no-show-raw-insn $(command -v bash) | sha256sum"),
    ("vim", ["vim"], "vim -es -u NONE -c '%s/quick/slow/g' -c 'w! out.txt' -c q text.txt; sha256sum < out.txt"),
    ("m4", ["m4"], "printf 'define(`f'\"'\"', `ifelse($1, 0, 0, `f(decr($1))'\"'\"')'\"'\"')f(2000)' | m4"),
    ("octave", ["octave"], "octave --norc -q --eval 'A = magic(300); printf(\"%.0f\\n\", sum(sum(A * A)))'"),
    ("R", ["R"], "R --slave -e 'set.seed(1); x <- matrix(1:250000 %% 97, 500); cat(sum(x %*% x), \"\\n\")'"),
]
