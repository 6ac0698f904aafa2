#include "serve/wait_page.h"

#include <fmt/format.h>

namespace kymo::serve {
namespace {

// Text from recordings may contain anything.
std::string as_html(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string small_page(std::string_view title, std::string_view body) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"dark "
        "light\">\n"
        "<link rel=\"icon\" href=\"data:,\"><title>{} – Kymo</title>\n"
        "<style>body{{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:40em;padding:0 "
        "1em}}</style></head>\n"
        "<body><main>{}</main></body></html>\n",
        as_html(title), body);
}

}  // namespace

std::string wait_page(std::string_view recording, std::string_view stage, double seconds, std::string_view nonce) {
    return small_page(recording,
                      fmt::format("<h1>{}</h1>\n<p role=\"status\">Reading the recording{}{} · {:.0f} s</p>\n"
                                  "<p>The page opens here by itself.</p>\n"
                                  "<script nonce=\"{}\">setTimeout(() => location.reload(), 300)</script>",
                                  as_html(recording), stage.empty() ? "" : ": ", as_html(stage), seconds, nonce));
}

std::string error_page(std::string_view recording, const Error& error, std::uint32_t next_look) {
    return small_page(recording,
                      fmt::format("<h1>{}</h1>\n<p role=\"alert\">{}</p>\n<p>{}</p>\n"
                                  "<p><a href=\"?look={}\">Read the recording again</a></p>",
                                  as_html(recording), as_html(error.what), as_html(error.next), next_look));
}

}  // namespace kymo::serve
