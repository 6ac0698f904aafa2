// What glibc before 2.34 has in libpthread.so.0, for linking alone (cmake/Portable.cmake).
void pthread_attr_getstacksize(void) {}
void pthread_getcpuclockid(void) {}
void pthread_key_delete(void) {}
void pthread_setspecific(void) {}
void __pthread_register_cancel(void) {}
void __pthread_unregister_cancel(void) {}
void __pthread_unwind_next(void) {}
