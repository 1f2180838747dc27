/* SPDX-License-Identifier: MIT
 *
 * Plugins that crash, hang, end the process or take three seconds and print something, when they are loaded, asked for their tables, or opened: TROUBLE_AT does TROUBLE. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "vitrail-plugin.h"

enum { AT_LOAD = 1, AT_ENTRY, AT_OPEN };
enum { CRASHES = 1, HANGS, ENDS, HANGS_WITH_CHILD, IS_SLOW };

static void
trouble(int at)
{
  if (at != TROUBLE_AT)
    return;
  if (TROUBLE == CRASHES)
    raise(SIGBUS); /* as in a file that was copied in part */
  else if (TROUBLE == ENDS)
    exit(0);
  else if (TROUBLE == IS_SLOW) {
    (void)!write(STDOUT_FILENO, "a word of welcome\n", 18);
    sleep(3);
  } else {
    if (TROUBLE == HANGS_WITH_CHILD && fork() == 0)
      setsid(); /* out of reach of whoever ends its parent's group */
    for (;;)
      pause();
  }
}

__attribute__((constructor)) static void
load(void)
{
  trouble(AT_LOAD);
}

static VitrailStatus
session_open(VitrailSession **session)
{
  static int any;
  trouble(AT_OPEN);
  *session = (VitrailSession *)&any;
  return VITRAIL_OK;
}

static void
session_close(VitrailSession *session)
{
}

static uint32_t
session_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  *infos = NULL;
  return 0;
}

static VitrailStatus
run(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message, size_t message_size)
{
  (void)session, (void)request, (void)host, (void)message, (void)message_size;
  return VITRAIL_UNSUPPORTED;
}

static const VitrailOp op = { .size = sizeof op, .id = "trouble", .title = "Trouble" };
static const VitrailOp *const ops[] = { &op };
static const VitrailPlugin plugin = { .size = sizeof plugin,
                                      .abi_major = VITRAIL_ABI_MAJOR,
                                      .id = "trouble",
                                      .title = "Trouble",
                                      .version = "1",
                                      .licence = "MIT",
                                      .n_ops = 1,
                                      .ops = ops,
                                      .session_open = session_open,
                                      .session_close = session_close,
                                      .session_backends = session_backends,
                                      .run = run };

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

const VitrailPlugin *
vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor)
{
  (void)host_major, (void)host_minor;
  trouble(AT_ENTRY);
  return &plugin;
}
