// Cryptographic routines in generated assembly with hand-written call-frame information, from a library opened late.
// An argument is taken for OPENSSL_ia32cap, which chooses among the routines. Without libcrypto there is nothing to
// step through; the program says so by its exit status.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Larger than any of the library's contexts.
typedef uint64_t state[128];

typedef int (*start)(void*);
typedef int (*update)(void*, const void*, size_t);
typedef int (*schedule)(const unsigned char*, int, void*);
typedef void (*encrypt)(const unsigned char*, unsigned char*, const void*);
typedef void* (*maker)(void);
typedef int (*set_word)(void*, unsigned long);
typedef int (*shift)(void*, const void*, int);
typedef int (*exponentiate)(void*, const void*, const void*, const void*, void*);

static start starts[4];
static update updates[4];
static schedule set_key;
static encrypt encrypt_block;
static maker new_number;
static maker new_context;
static set_word set_number;
static set_word add_number;
static shift shift_left;
static exponentiate power;
static volatile int sink;

__attribute__((noinline)) void scenario(void) {
    static unsigned char data[512];
    state digest;
    for (int i = 0; i < 4; i++) {
        starts[i](digest);
        updates[i](digest, data, sizeof data);
    }
    state key;
    set_key(data, 128, key);
    encrypt_block(data, data, key);
    void* base = new_number();
    void* exponent = new_number();
    void* modulus = new_number();
    set_number(base, 12345);
    set_number(exponent, 65537);
    set_number(modulus, 1);
    shift_left(modulus, modulus, 511);
    add_number(modulus, 111);
    sink = power(base, base, exponent, modulus, new_context());
}

static void* library;

// dlsym gives an object pointer; copying its bytes is how POSIX wants it made a function pointer.
static void find(const char* name, void* function) {
    void* found = dlsym(library, name);
    if (found == NULL) {
        exit(77);
    }
    memcpy(function, &found, sizeof found);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        setenv("OPENSSL_ia32cap", argv[1], 1);
    }
    library = dlopen("libcrypto.so.3", RTLD_NOW);
    if (library == NULL) {
        return 77;
    }
    static const char* const kStarts[] = {"SHA1_Init", "SHA256_Init", "SHA512_Init", "MD5_Init"};
    static const char* const kUpdates[] = {"SHA1_Update", "SHA256_Update", "SHA512_Update", "MD5_Update"};
    for (int i = 0; i < 4; i++) {
        find(kStarts[i], &starts[i]);
        find(kUpdates[i], &updates[i]);
    }
    find("AES_set_encrypt_key", &set_key);
    find("AES_encrypt", &encrypt_block);
    find("BN_new", &new_number);
    find("BN_CTX_new", &new_context);
    find("BN_set_word", &set_number);
    find("BN_add_word", &add_number);
    find("BN_lshift", &shift_left);
    find("BN_mod_exp", &power);
    scenario();
    return 0;
}
