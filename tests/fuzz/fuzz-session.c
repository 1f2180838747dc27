/* SPDX-License-Identifier: MIT
 *
 * Session files: refused with a sentence that has a line, or read, and then written and read again to the same text. */
#include "fuzz-text.h"
#include "results/vt-session-file.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char session[] =
    "{\"vitrail-session\":1,\"selected\":0,\"sidebar\":true,\"run-on\":\"view\",\"tabs\":[{\"active\":0,\"linked\":"
    "true,"
    "\"views\":[{\"slide\":\"../"
    "a.svs\",\"hash\":\"00ff\",\"x\":1.5,\"y\":-2e3,\"downsample\":4,\"angle\":90,\"gamma\":1.5,"
    "\"op\":\"nuclei-threshold\",\"live\":true,\"analyses\":[{\"op\":\"nuclei-threshold\",\"settings\":[\"threshold=0."
    "2\"]}],\"layers\":[{"
    "\"stage\":"
    "\"mask\",\"shown\":true,\"opacity\":0.5,\"range\":[0,1],\"threshold\":[-1e300,2]}],\"regions\":[{\"name\":\"r\","
    "\"saved\":true,"
    "\"rings\":[[0,0,5,0,5,5]]}],\"snapshots\":[{\"name\":\"a\",\"op\":\"nuclei-threshold\",\"pixels\":true,"
    "\"settings\":["
    "\"threshold=0.3\"]}],\"verdicts\":[{\"x\":3,\"y\":4,\"accepted\":true}],\"corrections-saved\":true,"
    "\"corrections\":[{\"op\":\"nuclei-threshold\",\"kind\":\"drawn\",\"before\":[{\"rings\":[[0,0,5,0,5,5]]}],"
    "\"after\":[{"
    "\"rings\":[[0,0,6,0,6,6]]}]}],\"gates\":[{\"name\":\"A\",\"color\":\"#e69f00\",\"filter\":\"x > 3\"},"
    "{\"name\":\"B\",\"parent\":\"A\",\"filter\":\"\"}]}]}]}";
  if (index > 0)
    return 0;
  memcpy(data, session, strlen(session));
  return strlen(session);
}

static char *
rewrite(const char *text, GError **error)
{
  g_autoptr(VtSessionFile) session = vt_session_file_parse(text, "fuzz", error);
  return session ? vt_session_file_to_text(session, NULL) : NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_text(data, size, rewrite);
  return 0;
}
