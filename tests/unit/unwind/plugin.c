/* A library to be loaded and unloaded. */
int plugin_call(void (*call)(void*), void* context) {
    call(context);
    return 1; /* keeps the call from being the last thing */
}
