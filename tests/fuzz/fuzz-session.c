/* SPDX-License-Identifier: MIT
 *
 * Session files: refused with a sentence that has a line, or read, and then written and read again to the same text. */
#include <string.h>

#include "fuzz.h"
#include "results/vt-session-file.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char session[] =
    "{\"vitrail-session\":1,\"selected\":0,\"sidebar\":true,\"run-on\":\"view\",\"tabs\":[{\"active\":0,\"linked\":"
    "true,"
    "\"views\":[{\"slide\":\"../"
    "a.svs\",\"hash\":\"00ff\",\"x\":1.5,\"y\":-2e3,\"downsample\":4,\"angle\":90,\"gamma\":1.5,"
    "\"op\":\"nuclei\",\"live\":true,\"analyses\":[{\"op\":\"nuclei\",\"settings\":[\"threshold=0.2\"]}],\"layers\":[{"
    "\"stage\":"
    "\"mask\",\"shown\":true,\"opacity\":0.5,\"range\":[0,1],\"threshold\":[-1e300,2]}],\"regions\":[{\"name\":\"r\","
    "\"saved\":true,"
    "\"rings\":[[0,0,5,0,5,5]]}],\"snapshots\":[{\"name\":\"a\",\"op\":\"nuclei\",\"pixels\":true,\"settings\":["
    "\"threshold=0.3\"]}],\"verdicts\":[{\"x\":3,\"y\":4,\"accepted\":true}]}]}]}";
  if (index > 0)
    return 0;
  memcpy(data, session, strlen(session));
  return strlen(session);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  g_autofree char *text = g_strndup((const char *)data, size);
  if (!g_utf8_validate(text, -1, NULL))
    return 0;
  g_autoptr(VtSessionFile) session = vt_session_file_parse(text, "fuzz", &error);
  vt_fuzz_check((session != NULL) == (error == NULL), "neither read nor an error, or both", text);
  vt_fuzz_check(!error || strstr(error->message, "line "), "no line", error ? error->message : "");
  if (!session)
    return 0;
  g_autofree char *once = vt_session_file_to_text(session, NULL);
  g_autoptr(VtSessionFile) again = vt_session_file_parse(once, "again", &error);
  vt_fuzz_check(again != NULL, "what was written cannot be read", once);
  g_autofree char *twice = vt_session_file_to_text(again, NULL);
  vt_fuzz_check(strcmp(once, twice) == 0, "written twice, and not the same", once);
  return 0;
}
