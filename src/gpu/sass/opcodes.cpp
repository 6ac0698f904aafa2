#include "gpu/sass/opcodes.h"

#include <algorithm>
#include <array>

namespace kymo::gpu::sass {
namespace {

struct Named {
    std::uint16_t opcode;
    std::string_view name;
};

// In the order of their numbers.
constexpr auto kNames = std::to_array<Named>({
    {0x002, "MOV"},       {0x003, "P2R"},        {0x004, "R2P"},       {0x005, "CS2R"},      {0x006, "VOTE"},
    {0x007, "SEL"},       {0x008, "FSEL"},       {0x009, "FMNMX"},     {0x00a, "FSET"},      {0x00b, "FSETP"},
    {0x00c, "ISETP"},     {0x010, "IADD3"},      {0x011, "LEA"},       {0x012, "LOP3"},      {0x013, "IABS"},
    {0x016, "PRMT"},      {0x017, "IMNMX"},      {0x019, "SHF"},       {0x01a, "SGXT"},      {0x01b, "BMSK"},
    {0x01c, "PLOP3"},     {0x020, "FMUL"},       {0x021, "FADD"},      {0x022, "FSWZADD"},   {0x023, "FFMA"},
    {0x024, "IMAD"},      {0x025, "IMAD.WIDE"},  {0x026, "IDP"},       {0x027, "IMAD.HI"},   {0x028, "DMUL"},
    {0x029, "DADD"},      {0x02a, "DSETP"},      {0x02b, "DFMA"},      {0x02e, "ACQBULK"},   {0x02f, "ELECT"},
    {0x030, "HADD2"},     {0x031, "HFMA2"},      {0x032, "HMUL2"},     {0x033, "HSET2"},     {0x034, "HSETP2"},
    {0x035, "HFMA2.MMA"}, {0x036, "VIADD"},      {0x037, "IMMA"},      {0x03a, "MOVM"},      {0x03b, "LDSM"},
    {0x03c, "HMMA"},      {0x03d, "BMMA"},       {0x03e, "F2FP"},      {0x03f, "DMMA"},      {0x040, "HMNMX2"},
    {0x046, "VIADDMNMX"}, {0x048, "VIMNMX"},     {0x082, "UMOV"},      {0x083, "UP2UR"},     {0x086, "VOTEU"},
    {0x087, "USEL"},      {0x08c, "UISETP"},     {0x090, "UIADD3"},    {0x091, "ULEA"},      {0x092, "ULOP3"},
    {0x096, "UPRMT"},     {0x099, "USHF"},       {0x09a, "USGXT"},     {0x09b, "UBMSK"},     {0x09c, "UPLOP3"},
    {0x0a4, "UIMAD"},     {0x0a5, "UIMAD.WIDE"}, {0x0b9, "ULDC"},      {0x0bd, "UFLO"},      {0x0bf, "UPOPC"},
    {0x0ca, "R2UR"},      {0x100, "FLO"},        {0x101, "BREV"},      {0x102, "FCHK"},      {0x104, "F2F"},
    {0x105, "F2I"},       {0x106, "I2F"},        {0x107, "FRND"},      {0x108, "MUFU"},      {0x109, "POPC"},
    {0x110, "F2F.F64"},   {0x111, "F2I.F64"},    {0x112, "I2F.F64"},   {0x113, "FRND.F64"},  {0x118, "NOP"},
    {0x119, "S2R"},       {0x11a, "DEPBAR"},     {0x11c, "B2R"},       {0x11d, "BAR"},       {0x141, "BSYNC"},
    {0x142, "BREAK"},     {0x143, "CALL.ABS"},   {0x144, "CALL.REL"},  {0x145, "BSSY"},      {0x146, "YIELD"},
    {0x147, "BRA"},       {0x148, "WARPSYNC"},   {0x149, "BRX"},       {0x14a, "JMP"},       {0x14c, "JMX"},
    {0x14d, "EXIT"},      {0x14e, "LEPC"},       {0x14f, "RPCMOV"},    {0x150, "RET"},       {0x155, "BMOV"},
    {0x156, "BMOV"},      {0x15b, "KILL"},       {0x15c, "BPT"},       {0x15d, "NANOSLEEP"}, {0x180, "LD"},
    {0x181, "LDG"},       {0x182, "LDC"},        {0x183, "LDL"},       {0x184, "LDS"},       {0x185, "ST"},
    {0x186, "STG"},       {0x187, "STL"},        {0x188, "STS"},       {0x189, "SHFL"},      {0x18a, "ATOM"},
    {0x18b, "ATOM"},      {0x18c, "ATOMS"},      {0x18d, "ATOMS"},     {0x18e, "RED"},       {0x18f, "CCTL"},
    {0x192, "MEMBAR"},    {0x1a1, "MATCH"},      {0x1a7, "SYNCS"},     {0x1a8, "ATOMG"},     {0x1a9, "ATOMG"},
    {0x1ab, "ERRBAR"},    {0x1ae, "LDGSTS"},     {0x1af, "LDGDEPBAR"}, {0x1c3, "S2UR"},      {0x1c4, "REDUX"},
    {0x1c6, "FENCE"},
});

static_assert(std::is_sorted(kNames.begin(), kNames.end(),
                             [](const Named& a, const Named& b) { return a.opcode < b.opcode; }));

}  // namespace

std::string_view opcode_name(std::uint16_t opcode) {
    const auto* const found =
        std::lower_bound(kNames.begin(), kNames.end(), opcode,
                         [](const Named& named, std::uint16_t wanted) { return named.opcode < wanted; });
    return found != kNames.end() && found->opcode == opcode ? found->name : std::string_view();
}

}  // namespace kymo::gpu::sass
