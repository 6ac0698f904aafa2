"""first_look_bench.py BUILD RECORDING: seconds from the start of `kymo view --serve` to its first picture, and to the page of
the whole. For reading only. Where there is no first look both are the same."""

import pathlib
import subprocess
import sys
import time
import urllib.request


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: first_look_bench.py BUILD RECORDING.kymo")
    kymo = pathlib.Path(sys.argv[1]).resolve() / "bin" / "kymo"
    begin = time.monotonic()
    server = subprocess.Popen([kymo, "view", "--serve", sys.argv[2]], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()

        def until(is_there):
            while True:
                page = urllib.request.urlopen(address).read()
                if is_there(page):
                    return time.monotonic() - begin, len(page)
                time.sleep(0.02)

        first, first_bytes = until(lambda page: b'id="head"' in page)
        whole, whole_bytes = until(lambda page: b'id="head"' in page and b"connect-src" not in page)
        print(f"first picture after {first:.2f} s, {first_bytes / 1e6:.1f} MB; the whole after {whole:.1f} s, {whole_bytes / 1e6:.1f} MB")
    finally:
        server.kill()


main()
