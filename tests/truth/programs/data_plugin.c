/* Loaded while the program runs. */
static volatile int plugin_level;
_Thread_local volatile int plugin_worker;
__attribute__((noinline)) void plugin_step(int turn) {
    plugin_level = turn % 5;
    plugin_worker = turn;
    __asm__ volatile(".rept 8\n nop\n.endr" ::"r"(turn) : "memory");
}
__attribute__((noinline)) void plugin_end(void) {
    __asm__ volatile(".rept 8\n nop\n.endr" ::: "memory");
}
__attribute__((visibility("default"))) void plugin_run(int turns) {
    for (int i = 0; i < turns; ++i) {
        plugin_step(i);
        plugin_end();
    }
}
