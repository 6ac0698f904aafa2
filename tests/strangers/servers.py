"""Servers under load: each is started, given a known amount of work, looked at, and stopped regularly. Only what does not depend on time is
printed. They listen at sockets in the job's folder (nginx: at a port of its own choice, since its load generator knows no other).
"""

WAIT = """# wait_for FILE: until it is there, for ten seconds at most
wait_for() { n=0; until [ -e "$1" ] || [ $n -ge 1000 ]; do sleep 0.01; n=$((n + 1)); done; }
"""

REDIS = WAIT + """redis-server --port 0 --unixsocket $PWD/socket --save '' --appendonly no --daemonize no >/dev/null &
server=$!
wait_for socket
redis-benchmark -s socket -n 20000 -c 20 -P 1 -q -t set,get,incr,lpush,rpop,sadd,hset,mset,lrange_100 >/dev/null; echo load $?
redis-cli -s socket dbsize
redis-cli -s socket eval 'local s = 0 for i = 1, 300000 do s = s + i % 7 end return s' 0
redis-cli -s socket debug reload >/dev/null 2>&1
redis-cli -s socket shutdown nosave
wait $server; echo server $?
"""

# It forks for a snapshot while it is asked, and starts again from the file.
REDIS_SNAPSHOT = WAIT + """for turn in 1 2; do
    redis-server --port 0 --unixsocket $PWD/socket --dir $PWD --daemonize no >/dev/null &
    server=$!
    wait_for socket
    redis-cli -s socket get kept
    redis-benchmark -s socket -n 20000 -r 5000 -c 8 -q -t set >/dev/null &
    redis-cli -s socket bgsave >/dev/null
    wait $!; echo load $?
    redis-cli -s socket flushall
    redis-cli -s socket set kept $turn
    redis-cli -s socket shutdown save
    wait $server; echo server $?
done
test -s dump.rdb; echo kept $?
"""

# The superuser must be somebody else for this server, and the folder that one's.
POSTGRES = """export PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1):$PATH PGHOST=$PWD/db PGUSER=me PGDATABASE=postgres
mkdir db
if [ "$(id -u)" = 0 ]; then chown nobody db; as='setpriv --reuid=65534 --regid=65534 --clear-groups'; else as=; fi
$as initdb -D db/data -U me -A trust --locale=C --no-sync >/dev/null || exit 3
$as pg_ctl -s -D db/data -l db/log -o "-k $PWD/db -c listen_addresses='' -c fsync=off -c shared_buffers=16MB" -w start; echo start $?
pgbench -q -i -s 1 >/dev/null 2>&1; echo filled $?
pgbench -n -c 4 -j 2 -t 250 >/dev/null 2>&1; echo load $?
psql -qAt -c 'select count(*) from pgbench_history' -c 'select sum(a.abalance) = sum(h.delta) from pgbench_accounts a left join (select aid, sum(delta) delta from pgbench_history group by aid) h using (aid)'
psql -qAt -c 'set max_parallel_workers_per_gather = 2; set parallel_setup_cost = 0; set min_parallel_table_scan_size = 0; select count(distinct aid % 977), sum(aid::numeric) from pgbench_accounts'
psql -qAt -c 'select sum(length(md5(i::text))) from generate_series(1, 200000) i'
$as pg_ctl -s -D db/data -m fast -w stop; echo stop $?
"""

NGINX = """port=$((20000 + $$ % 20000))
mkdir logs
cat > nginx.conf <<END
worker_processes 2; daemon off; pid logs/pid; error_log logs/error;
events { worker_connections 256; }
http { access_log logs/access; server { listen 127.0.0.1:$port; root $PWD; gzip on; gzip_types *; gzip_min_length 10; } }
END
nginx -p $PWD -c nginx.conf -e logs/error &
server=$!
n=0; until [ -s logs/pid ] || [ $n -ge 1000 ]; do sleep 0.01; n=$((n + 1)); done
ab -q -n 8000 -c 8 -k http://127.0.0.1:$port/job.sql | grep -E 'Complete requests|Failed requests|Non-2xx'
ab -q -n 2000 -c 4 http://127.0.0.1:$port/job.c | grep -E 'Complete requests|Failed requests|Non-2xx'
ab -q -n 30 -c 2 -H 'Accept-Encoding: gzip' http://127.0.0.1:$port/text.txt | grep -E 'Complete requests|Non-2xx'
kill -HUP $server; sleep 0.1
ab -q -n 500 -c 2 http://127.0.0.1:$port/none | grep -E 'Complete requests|Non-2xx'
kill -QUIT $server; wait $server; echo server $?
wc -l < logs/access
"""

MEMCACHED_LOAD = """import socket, sys, threading
def client(number, sums):
    link = socket.socket(socket.AF_UNIX); link.connect("socket"); file = link.makefile("rwb")
    for i in range(6000):
        key = f"k{number}-{i % 500}"
        file.write(f"set {key} 0 0 6\\r\\n{i:06d}\\r\\nget {key}\\r\\n".encode()); file.flush()
        assert file.readline() == b"STORED\\r\\n"
        file.readline(); sums[number] += int(file.readline()); file.readline()
sums = [0] * 4
threads = [threading.Thread(target=client, args=(i, sums)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sums)
"""

MEMCACHED = WAIT + """user=; [ "$(id -u)" = 0 ] && user='-u nobody' && chmod 777 .
memcached $user -s $PWD/socket -a 777 -t 4 &
server=$!
wait_for socket
python3 load_memcached.py
kill -INT $server; wait $server; echo server $?
"""

FILES = {"redis.sh": REDIS, "redis_snapshot.sh": REDIS_SNAPSHOT, "postgres.sh": POSTGRES, "nginx.sh": NGINX, "memcached.sh": MEMCACHED,
         "load_memcached.py": MEMCACHED_LOAD}

JOBS = [
    ("redis", ["redis-server", "redis-benchmark"], "sh redis.sh"),
    ("redis-snapshot", ["redis-server", "redis-benchmark"], "sh redis_snapshot.sh"),
    ("postgresql", ["pgbench", "setpriv"], "sh postgres.sh"),
    ("nginx", ["nginx", "ab"], "sh nginx.sh"),
    ("memcached", ["memcached", "python3"], "sh memcached.sh"),
]
