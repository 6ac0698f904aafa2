"""The CUDA driver, as far as these scripts need it."""

import ctypes

u64 = ctypes.c_uint64


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        self.name = name.value.decode()

    def call(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{function}: {text.value.decode() if text.value else code}")

    def module(self, path):
        module = ctypes.c_void_p()
        self.call("cuModuleLoad", ctypes.byref(module), str(path).encode())
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def allocate(self, count):
        at = u64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(count))
        return at

    def write(self, at, data):
        self.call("cuMemcpyHtoD_v2", at, data, ctypes.c_size_t(len(data)))

    def read(self, at, count):
        data = ctypes.create_string_buffer(count)
        self.call("cuMemcpyDtoH_v2", data, at, ctypes.c_size_t(count))
        return data.raw

    def fill(self, at, value, count):
        self.call("cuMemsetD8_v2", at, ctypes.c_ubyte(value), ctypes.c_size_t(count))

    def launch(self, function, grid, block, *arguments):
        """`grid` and `block`: (x, y); arguments: ctypes values."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.cast(ctypes.pointer(one), ctypes.c_void_p) for one in arguments))
        self.call("cuLaunchKernel", function, grid[0], grid[1], 1, block[0], block[1], 1, 0, None, pointers, None)

    def wait(self):
        self.call("cuCtxSynchronize")
