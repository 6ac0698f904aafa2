#!/usr/bin/env python3
"""wrappers.py HEADER LIBRARY FOLDER: the wrappers of MPI's profiling interface, from the prototypes of an installed mpi.h.

HEADER is the preprocessed mpi.h; LIBRARY the folder-less names of the C, mpif.h and mpi_f08 libraries, separated by commas. Writes
generated.h (the table of real calls) and generated.cpp (the wrappers) into FOLDER. Each call gets up to three wrappers: C, mpif.h and
`use mpi` (mpi_send_ and its other spellings), mpi_f08 (mpi_send_f08_). A Fortran library calls PMPI_ itself, so that a call is counted once.
"""

import pathlib
import re
import sys

from calls import CALLS, ONLY_C

SUPPORT = """Comm_group Comm_remote_group Comm_test_inter Comm_get_name Comm_rank Group_size Group_rank Group_free Group_translate_ranks
Type_size_x Get_elements_x Topo_test Cartdim_get Graph_neighbors_count Dist_graph_neighbors_count Win_get_group Win_get_name Test_cancelled Error_class
Comm_get_parent File_get_group Comm_f2c Type_f2c Request_f2c Message_f2c Win_f2c File_f2c Status_f2c""".split()
HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Request": "Request", "MPI_Message": "Message", "MPI_Win": "Win", "MPI_File": "File"}


class Parameter:
    def __init__(self, text):
        self.text = " ".join(text.split())
        match = re.fullmatch(r"(?P<type>.*?[\s*])(?P<name>\w+)\s*(?P<array>(\[\d*\])*)", self.text)
        self.type, self.name = match["type"].strip(), match["name"]
        self.base = self.type.replace("const", "").replace("*", "").strip()


class C:
    """How roles are read in a C wrapper."""

    def value(self, p):
        return p.name if "*" not in p.type else f"*{p.name}"

    array = handles = lambda self, p: p.name

    def in_place(self, p):
        return f"{p.name} == MPI_IN_PLACE"

    def status(self, p):
        return [f"MPI_Status own{{}};", f"MPI_Status* const known = {p.name} == MPI_STATUS_IGNORE ? &own : {p.name};"], "known", [], "*known"

    def statuses(self, p, count):
        return ([f"Copies<MPI_Status> own({p.name} == MPI_STATUSES_IGNORE ? {count} : 0);",
                 f"MPI_Status* const known = own.size() != 0 ? own.data() : {p.name};"], "known",
                ["if (known == MPI_STATUSES_IGNORE) {", "    return result;", "}"], "known[i]")

    def requests(self, p, count):
        return [f"Copies<MPI_Request> before({count}, {p.name});"]

    def request_at(self, p):
        return f"{p.name}[i]"

    def flag(self, p):
        return f"*{p.name} != 0"

    def index(self, text):
        return text


class Fortran:
    """The same in Fortran: everything comes by address, handles are integers, indices begin at 1."""

    def integer(self, name):
        return f"*static_cast<MPI_Fint*>({name})"

    def value(self, p):
        if p.base in HANDLES:
            return f"real_calls.{HANDLES[p.base]}_f2c({self.integer(p.name)})"
        return self.integer(p.name)

    def array(self, p):
        return f"static_cast<const MPI_Fint*>({p.name})"

    def handles(self, p):
        return f"Copies<MPI_Datatype>({{count}}, static_cast<const MPI_Fint*>({p.name}), to_type).data()"

    def in_place(self, p):
        return f"is_fortran_in_place({p.name})"

    def status(self, p):
        return (["MPI_Fint own[kFortranStatus] = {};", f"void* const known = is_fortran_status_ignored({p.name}) ? own : {p.name};"], "known",
                ["MPI_Status status_of_it{};", "real_calls.Status_f2c(static_cast<MPI_Fint*>(known), &status_of_it);"], "status_of_it")

    def statuses(self, p, count):
        return ([f"Copies<FortranStatus> own(is_fortran_statuses_ignored({p.name}) ? {count} : 0);",
                 f"void* const known = own.size() != 0 ? own.data() : {p.name};"], "known", [], "status_at(known, i)")

    def requests(self, p, count):
        return [f"const Copies<MPI_Request> before({count}, static_cast<const MPI_Fint*>({p.name}), to_request);"]

    def request_at(self, p):
        return f"to_request(static_cast<const MPI_Fint*>({p.name})[i])"

    def flag(self, p):
        return f"{self.integer(p.name)} != 0"

    def index(self, text):
        return f"{text} - 1"


def collective_bytes(language, kind, at):
    integer = lambda name: f"std::int64_t{{{language.value(at[name])}}}"
    size = lambda name: f"size_of({language.value(at[name])})"
    comm = language.value(at["comm"])
    group = f"size_of_group({comm})"
    out = f"destinations_of({comm})"
    total = lambda name, count: f"sum_of({language.array(at[name])}, {count})"
    typed = lambda counts, types, count: f"sum_of({language.array(at[counts])}, {language.handles(at[types]).format(count=count)}, {count})"
    send = "sendcount" in at and f"{integer('sendcount')} * {size('sendtype')}"
    in_place = "sendbuf" in at and language.in_place(at["sendbuf"])
    if kind == "none":
        return "0"
    if kind == "root_block":
        return f"is_root({comm}, {language.value(at['root'])}) ? {integer('count')} * {size('datatype')} : 0"
    rooted = f"gives({comm}, {language.value(at['root'])}) ? " if "root" in at else ""
    if kind == "block":
        received = f"{integer('recvcount')}" if "recvcount" in at else f"std::int64_t{{{language.array(at['recvcounts'])}[rank_in({comm})]}}"
        return f"{rooted}({in_place} ? {received} * {size('recvtype')} : {send})" + (" : 0" if rooted else "")
    if kind == "root_all":
        return f"is_root({comm}, {language.value(at['root'])}) ? {send} * {group} : 0"
    if kind == "root_vector":
        return f"is_root({comm}, {language.value(at['root'])}) ? {total('sendcounts', group)} * {size('sendtype')} : 0"
    if kind == "all":
        return f"({in_place} ? {integer('recvcount')} * {size('recvtype')} : {send}) * {group}"
    if kind == "vector":
        return f"{in_place} ? {total('recvcounts', group)} * {size('recvtype')} : {total('sendcounts', group)} * {size('sendtype')}"
    if kind == "vector_types":
        return f"{in_place} ? {typed('recvcounts', 'recvtypes', group)} : {typed('sendcounts', 'sendtypes', group)}"
    if kind == "reduced":
        return f"{rooted}{integer('count')} * {size('datatype')}" + (" : 0" if rooted else "")
    if kind == "reduced_vector":
        return f"{total('recvcounts', group)} * {size('datatype')}"
    if kind == "reduced_all":
        return f"{integer('recvcount')} * {size('datatype')} * {group}"
    if kind == "block_out":
        return f"{send} * {out}"
    if kind == "vector_out":
        return f"{total('sendcounts', out)} * {size('sendtype')}"
    if kind == "vector_types_out":
        return typed("sendcounts", "sendtypes", out)
    raise ValueError(kind)


def one_sided_bytes(language, at):
    count, kind = next(pair for pair in (("result_count", "result_datatype"), ("origin_count", "origin_datatype"), (None, "datatype")) if pair[1] in at)
    size = f"size_of({language.value(at[kind])})"
    return size if count is None else f"std::int64_t{{{language.value(at[count])}}} * {size}"


def body(language, name, parameters):
    """What goes before the real call, what arguments are replaced in it, what comes after it where it succeeded, and what where it failed."""
    kind, roles = CALLS[name]
    at = {p.name: p for p in parameters}
    p = lambda role: at[roles[role]]
    v = lambda role: language.value(p(role))
    before, replaced, after, failed, status = [], {}, [], [], None
    if roles.get("status"):
        before, call, after, status = language.status(p("status"))
        replaced[roles["status"]] = call
    if roles.get("statuses"):
        before, call, after, status = language.statuses(p("statuses"), v("count"))
        replaced[roles["statuses"]] = call
    polled_all = ["    const std::uint64_t spent = begin.ns();", "    for (int i = 0; i < before.size(); ++i) {",
                  "        polled(spent, before.size(), before[i]);", "    }"]
    found = language.flag(p("flag")) if roles.get("flag") else "true"
    request = f"{v('request')}" if roles.get("request") else None
    if kind == "send":
        after.append(f"sent(begin, {v('comm')}, {v('peer')}, {v('count')}, {v('type')});")
    elif kind in ("start_send", "make_send"):
        after.append(f"started_send(begin, {v('comm')}, {v('peer')}, {v('count')}, {v('type')}, {request}, {str(kind == 'make_send').lower()});")
    elif kind == "receive":
        after.append(f"received(begin, {v('comm')}, {status});")
    elif kind in ("start_receive", "make_receive"):
        after.append(f"started_receive(begin, {v('comm')}, {v('peer')}, {request}, {str(kind == 'make_receive').lower()});")
    elif kind == "exchange":
        after.append(f"exchanged(begin, {v('comm')}, {v('peer')}, {v('count')}, {v('type')}, {status});")
    elif kind == "probe":
        after.append(f"probed(begin, {v('comm')}, {status}, {found});")
    elif kind == "match":
        after.append(f"matched(begin, {v('comm')}, {status}, {v('message')}, {found});")
    elif kind == "receive_matched":
        before.append(f"const MPI_Message message_before = {v('message')};")
        after.append(f"received_matched(begin, message_before, {status});")
    elif kind == "start_receive_matched":
        before.append(f"const MPI_Message message_before = {v('message')};")
        after.append(f"started_receive_matched(begin, message_before, {request});")
    elif kind == "start":
        after.append(f"started(begin, {request});")
    elif kind == "start_all":
        before += language.requests(p("requests"), v("count"))
        after += ["for (int i = 0; i < before.size(); ++i) {", "    started(begin, before[i]);", "}"]
    elif kind == "complete_one":
        before.append(f"const MPI_Request request_before = {request};")
        failed.append(f"broke(begin.ns(), request_before, {request}, true, result);")
        after += [f"if ({found}) {{", f"    completed(begin.ns(), 1, request_before, {status});", "} else {", "    polled(begin.ns(), 1, request_before);", "}"]
    elif kind == "complete_all":
        before += language.requests(p("requests"), v("count"))
        after += [f"if ({found}) {{", "    const std::uint64_t ns = begin.ns();", "    for (int i = 0; i < before.size(); ++i) {",
                  f"        completed(ns, before.size(), before[i], {status});", "    }", "} else {", *polled_all, "}"]
    elif kind == "complete_any":
        before += language.requests(p("requests"), v("count"))
        after += [f"const int which = {v('index')};", f"if ({found} && which != MPI_UNDEFINED) {{",
                  f"    completed(begin.ns(), 1, before[{language.index('which')}], {status});", f"}} else if (!({found})) {{", *polled_all, "}"]
    elif kind == "complete_some":
        before += language.requests(p("requests"), v("count"))
        after += ["const std::uint64_t ns = begin.ns();", f"const int done = {v('done')} == MPI_UNDEFINED ? 0 : {v('done')};",
                  "for (int i = 0; i < done; ++i) {",
                  f"    completed(ns, done, before[{language.index(language.array(p('indices')) + '[i]')}], {status});", "}",
                  f"if ({v('done')} == 0) {{", *polled_all, "}"]
    elif kind == "make":
        made = next(p for p in parameters if p.base == roles["made"] and "*" in p.type)
        after.append(f"{'note_communicator' if roles['made'] == 'MPI_Comm' else 'note_window'}({language.value(made)});")
    elif kind == "free_request":
        before.append(f"const MPI_Request request_before = {request};")
        after.append("freed(request_before);")
    elif kind == "cancel":
        after.append(f"cancel_request({request});")
    elif kind == "collective":
        if request:
            after.append(f"const MPI_Request made = {request};")
        root = language.value(at[roles["root"]]) if roles["root"] else "kEverybody"
        after.append(f"collected(begin, {language.value(at['comm'])}, {root}, {collective_bytes(language, roles['bytes'], at)}, {'&made' if request else 'nullptr'});")
    elif kind == "one_sided":
        if request:
            after.append(f"const MPI_Request made = {request};")
        after.append(f"accessed(begin, {language.value(at['win'])}, {language.value(at['target_rank'])}, {one_sided_bytes(language, at)}, {'&made' if request else 'nullptr'});")
    elif kind == "transfer":
        after.append(f"transferred(begin, {v('file')}, Direction::{roles['direction']}, {status});")
    elif kind == "start_transfer":
        after.append(f"started_transfer(begin, {v('file')}, Direction::{roles['direction']}, {request});")
    elif kind == "begin_transfer":
        after.append(f"began_transfer(begin, {v('file')}, Direction::{roles['direction']});")
    elif kind == "open":
        after.append(f"opened({v('file')}, {roles['path']});")
    elif kind == "synchronise":
        after.append(f"synchronised(begin, {language.value(at['win'])}, {v('rank') if roles['rank'] else 'kEverybody'});")
    else:
        what = {"forget_comm": ("communicator", "comm"), "forget_type": ("type", "type"), "forget_win": ("window", "win"), "forget_file": ("file", "file")}[kind]
        before.append(f"const auto handle_before = {v(what[1])};")
        after.append(f"forget_{what[0]}(handle_before);")
    directions = {"send": "kSend", "start_send": "kSend", "make_send": "kSend", "receive": "kReceive", "start_receive": "kReceive",
                  "make_receive": "kReceive", "exchange": "kSend", "probe": "kReceive", "match": "kReceive", "collective": "kCollective"}
    if kind in directions:
        role = roles.get("peer") or roles.get("root")
        failed.append(f"failed(begin, {language.value(at['comm'])}, {language.value(at[role]) if role else 'kEverybody'}, Direction::{directions[kind]}, result);")
    if kind in ("complete_all", "complete_any", "complete_some"):
        broke = f"broke(0, before[i], {language.request_at(p('requests'))}, before.size() == 1, "
        failed.append("for (int i = 0; i < before.size(); ++i) {")
        if kind == "complete_all":  # the statuses say what each request has met, perhaps nothing
            failed += [f"    if (const int error = error_of(result, {status}); error == MPI_SUCCESS) {{", f"        completed(0, 1, before[i], {status});",
                       "    } else {", f"        {broke}error);", "    }"]
        else:
            failed.append(f"    {broke}result);")
        failed.append("}")
    return before, replaced, after, failed


def function(language, head, call, result, name, parameters, ending):
    before, replaced, after, failed = body(language, name, parameters)
    plain = [p.name for p in parameters]
    kept = [replaced.get(n, n) for n in plain]
    lines = [f"{head} {{", "    if (!is_counting()) {", f"        {call(plain, False)}", *ending, "    }"]
    lines += ["    const Begin begin;", *("    " + line for line in before), f"    {call(kept, True)}", f"    if ({result} == MPI_SUCCESS) {{"]
    lines += [*("        " + line for line in after)]
    return lines + (["    } else {", *("        " + line for line in failed)] if failed else []) + ["    }"]


# Of what programs call most: the arguments of QuickSend or QuickReceive (count.h), by role, and those of succeeded().
QUICK = {"send": ("QuickSend", ["comm", "peer", "count", "type"]), "receive": ("QuickReceive", ["comm", "peer"])}


def quick_way(name, parameters, call):
    kind, roles = CALLS[name]
    what, wanted = QUICK[kind]
    at = {p.name: p for p in parameters}
    before, known, _, status = C().status(at[roles["status"]]) if roles.get("status") else ([], None, [], None)
    given = [known if p.name == roles.get("status") else p.name for p in parameters]
    lines = [f"    if (const {what} quick({', '.join(roles[role] for role in wanted)}); quick.cells != nullptr) {{", *("    " + line for line in ["    " + line for line in before])]
    return lines + ["        const Begin begin;", f"        {call(given, True)}", "        if (result == MPI_SUCCESS) {",
                    f"            quick.succeeded({', '.join(['begin', *([status] if status else [])])});", "        } else {",
                    "            quick.failed(begin, result);", "        }", "        return result;", "    }"]


def c_wrapper(name, parameters):
    listed, given = ", ".join(p.text for p in parameters), ", ".join(p.name for p in parameters)
    call = lambda given, kept: f"{'const int result =' if kept else 'return'} real_calls.{name}({', '.join(given)});"
    whole = lambda head: function(C(), head, call, "result", name, parameters, []) + ["    return result;", "}", ""]
    if CALLS[name][0] not in QUICK:
        return whole(f"KYMO_MPI_CALL int MPI_{name}({listed})")
    return whole(f"__attribute__((noinline)) static int fully_{name}({listed})") + [
        f"KYMO_MPI_CALL int MPI_{name}({listed}) {{", *quick_way(name, parameters, call), f"    return fully_{name}({given});", "}", ""]


def fortran_wrapper(name, parameters):
    lower = name.lower()
    listed = ", ".join(f"void* {p.name}" for p in parameters) + ", MPI_Fint* error"
    types = ", ".join(["void*"] * len(parameters) + ["MPI_Fint*"])
    head = f"static inline void fortran_{lower}(void (*real)({types}), {listed})"
    call = lambda given, kept: f"real({', '.join(given)}, {'&result' if kept else 'error'});"
    lines = function(Fortran(), head, call, "result", name, parameters, ["        return;"])
    lines.insert(lines.index("    const Begin begin;"), "    MPI_Fint result = 0;")
    lines += ["    if (error != nullptr) {", "        *error = result;", "    }", "}"]
    given = ", ".join(p.name for p in parameters)
    for spelled, real in ((f"mpi_{lower}_", f"fortran_calls.{lower}"), (f"mpi_{lower}_f08_", f"f08_calls.{lower}")):
        lines += [f"KYMO_MPI_CALL void {spelled}({listed}) {{", "    is_counting();",
                  f"    fortran_{lower}(reinterpret_cast<void (*)({types})>({real}), {given}, error);", "}"]
    for other in (f"mpi_{lower}", f"mpi_{lower}__", f"MPI_{name.upper()}"):
        lines.append(f"KYMO_MPI_CALL void {other}({listed}) __attribute__((alias(\"mpi_{lower}_\")));")
    return lines + [""]


def prototypes(header):
    found = {}
    for match in re.finditer(r"\bint\s+MPI_(\w+)\s*\(([^;{}]*)\)\s*(?:__attribute__[^;]*)?;", header):
        listed = [text for text in match[2].split(",")]
        if all(re.search(r"\w[\s*]+\w+\s*(\[\d*\])*\s*$", text) for text in listed):
            found[match[1]] = [Parameter(text) for text in listed]
    return found


def main():
    header, libraries, folder = pathlib.Path(sys.argv[1]).read_text(errors="replace"), sys.argv[2].split(","), pathlib.Path(sys.argv[3])
    known = prototypes(header)
    counted = [name for name in CALLS if name in known]
    if missing := [name for name in CALLS if name not in known]:
        print(f"this MPI has no {', '.join('MPI_' + name for name in missing)}: not counted")
    real = counted + [name for name in SUPPORT if name not in counted]
    lower = [name.lower() for name in counted if name not in ONLY_C]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "generated.h").write_text("\n".join([
        "// Made by wrappers.py. The MPI library's own entry points, as find_real_calls() has found them.", "#pragma once", "",
        "#include <mpi.h>", "", "namespace kymo::mpi {", "", "struct RealCalls {",
        *(f"    decltype(&MPI_{name}) {name} = nullptr;" for name in real), "};", "extern RealCalls real_calls;", "",
        "struct FortranCalls {", *(f"    void* {name} = nullptr;" for name in lower), "};",
        "extern FortranCalls fortran_calls;  // mpif.h and `use mpi`", "extern FortranCalls f08_calls;", "",
        "void find_real_calls();", "", "}  // namespace kymo::mpi", ""]))
    lines = ["// Made by wrappers.py.", '#include "mpi/generated.h"', '#include "mpi/count.h"', '#include "mpi/fortran.h"', '#include "mpi/real.h"', "",
             '#define KYMO_MPI_CALL extern "C" __attribute__((visibility("default")))', "", "namespace kymo::mpi {", "",
             "constinit RealCalls real_calls;", "constinit FortranCalls fortran_calls;", "constinit FortranCalls f08_calls;", "",
             "void find_real_calls() {"]
    lines += [f'    real_calls.{name} = reinterpret_cast<decltype(&MPI_{name})>(find_real("PMPI_{name}", "{libraries[0]}"));' for name in real]
    for table, end, library in (("fortran_calls", "_", libraries[1]), ("f08_calls", "_f08_", libraries[2])):
        lines += [f'    {table}.{name} = find_real("pmpi_{name}{end}", "{library}");' for name in lower]
    lines += ["}", "", "}  // namespace kymo::mpi", "", "using namespace kymo::mpi;", ""]
    for name in counted:
        lines += c_wrapper(name, known[name]) + ([] if name in ONLY_C else fortran_wrapper(name, known[name]))
    (folder / "generated.cpp").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
