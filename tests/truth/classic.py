"""The classic metric, and others of the exchange program (examples/metrics/exchange.c), as tests of each way to measure describe them."""

CLASSIC = """metric send_in_foo "time foo spends sending messages" unit ns {
  cell in_foo
  at entry foo                          : add in_foo 1
  at exit  foo                          : sub in_foo 1
  at entry send_message when in_foo > 0 : start
  at exit  send_message when in_foo > 0 : stop
}
metric messages per process { at entry send_message : add }
metric sent unit bytes { at exit send_message when result as int > 0 : add result as int }
metric long_messages { at entry send_message when arg3 >= 80 and arg3 < 1KiB : add }
metric longest maximum { at entry send_message when arg3 as uint > longest : set arg3 as uint }
"""
