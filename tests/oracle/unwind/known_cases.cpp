#include "known_cases.h"

namespace kymo::oracle {

std::span<const KnownCase> known_cases() {
    static constexpr std::string_view kInRegister = "the return address is in a register for a few instructions";
    static constexpr std::string_view kJump = "the tables already describe the frame jumped to";
    static constexpr std::string_view kRsp = "libunwind ignores the rule for the stack pointer";
    static constexpr std::string_view kRbx = "elfutils does not know that rbx is preserved";
    static constexpr KnownCase kCases[] = {
        // pop %rdx; …; push %rdx.
        {kShadow, "*", "vfork", kInRegister},
        {kShadow, "*", "__vfork", kInRegister},
        {kShadow, "oracle_hand_written", "return_in_register", kInRegister},

        // On its last instructions longjmp's information describes the frame it goes to, not its caller; with a
        // rule for the stack pointer (in r8), in whose place libunwind takes the CFA. So does setcontext's.
        {kShadow, "*", "__longjmp*", kJump},
        {kLibunwind, "*", "__longjmp*", kRsp},
        {kLibunwind, "*", "setcontext", kRsp},

        // makecontext makes a stack without a call; swapcontext leaves one without a return.
        {kShadow, "oracle_contexts", "*", "the shadow has not seen this stack begin"},

        // elfutils 0.188 lists the preserved registers of x86-64 with 0 (rax) in the place of 3 (rbx). A frame based
        // on rbx is lost above a function whose own information does not mention rbx, or not yet.
        {kElfutils, "*", "_dl_runtime_resolve*", kRbx},
        {kElfutils, "oracle_hand_written", "frame_in_rbx", kRbx},

        // The shadow is right here, but the tables are wrong and all who read them follow: after the `leave` of a
        // realigned frame, GCC 12 still says that rbp is saved where rbp points, in the caller's frame by then.
        {kShadow, "oracle_frames_*", "scenario", "GCC's rule for rbp is wrong after the leave of a realigned frame"},

        // The vDSO is no file; libunwind-ptrace reads only files.
        {kLibunwind, "*", "__vdso_*", "libunwind-ptrace has no call-frame information of the vDSO"},
        {kLibunwind, "oracle_frames_debug_frame_only", "*", "libunwind is built without .debug_frame on x86-64"},
    };
    return kCases;
}

std::span<const Unknowable> unknowable_places() {
    static constexpr std::string_view kMixture =
        "its save slots already hold the registers of the frame that will catch";
    static constexpr std::string_view kPushes = "its call-frame information leaves out two pushes";
    static constexpr Unknowable kPlaces[] = {
        {"_Unwind_RaiseException*", kMixture},
        {"_Unwind_Resume*", kMixture},
        {"_Unwind_ForcedUnwind*", kMixture},

        // glibc 2.36, sysdeps/x86_64/addmul_1.S: push %rbx, push %rbp, and CFA = rsp + 8 throughout.
        {"__mpn_addmul_1", kPushes},
        {"__mpn_submul_1", kPushes},

        // makecontext makes up a return address: the first byte of this function, which no call returns to. One
        // byte earlier there is no information, and the function's own (glibc 2.36) says nothing of a bottom.
        {"__start_context", "nobody called it, and nothing says so"},
    };
    return kPlaces;
}

}  // namespace kymo::oracle
