/* SPDX-License-Identifier: MIT
 *
 * Each part is there for a file that has taken over the decoder. A system that lacks one of them leaves the others. */
#define _GNU_SOURCE
#include "slide/vt-reader-jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/vt-helper.h"

#define LEAST_BYTES ((guint64)4 << 30)
#define THREAD_BYTES ((guint64)80 << 20) /* of addresses: a stack, and what malloc sets aside */

/* A file that asks for terabytes is refused by the system, instead of bringing the machine to a halt. */
static void
limit_memory(void)
{
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
  const guint64 all = pages > 0 && page > 0 ? (guint64)pages * (guint64)page : 0;
  const rlim_t bytes = MAX(all, LEAST_BYTES) + (guint64)MAX(n_cpus, 1) * 4 * THREAD_BYTES;
  const struct rlimit limit = { bytes, bytes };
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Reading is not handled by the rules, so it stays allowed everywhere. */
static void
forbid_writing(void)
{
  struct landlock_ruleset_attr rules = {
    .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR
                         | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR
                         | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO
                         | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM
  };
  const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (ruleset < 0)
    return;
  syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
}

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define MOST_CALLS 0x3fffffff /* above are the calls of x32, as the kernel numbers them */
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define MOST_CALLS 0x7fffffff
#endif

#ifdef ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define JUMP(test, value, if_so, if_not) BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (if_so), (if_not))
#define REFUSE(call, error) JUMP(BPF_JEQ, SYS_##call, 0, 1), END(SECCOMP_RET_ERRNO | (error))
#define FORBID(call) REFUSE(call, EPERM),
/* Looks at the low half of argument `i`: the call is refused where the test comes out so (is = 1), or does not (is = 0). */
#define FORBID_IF(call, i, test, value, is, error) \
  JUMP(BPF_JEQ, SYS_##call, 0, 4), LOAD(args[i]), JUMP(test, value, 1 - (is), is), END(SECCOMP_RET_ERRNO | (error)), \
    END(SECCOMP_RET_ALLOW)

/* All but what reading does not need. Kernels from 5.11 remember which calls are always allowed, so the length costs these nothing. */
static void
forbid_calls(void)
{
  const unsigned changes = O_ACCMODE | O_CREAT | O_TRUNC, self = (unsigned)getpid();
  struct sock_filter filter[] = {
    LOAD(arch),
    JUMP(BPF_JEQ, ARCHITECTURE, 1, 0),
    END(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    JUMP(BPF_JGT, MOST_CALLS, 0, 1),
    END(SECCOMP_RET_KILL_PROCESS),
    FORBID_IF(openat, 2, BPF_JSET, changes, 1, EACCES),
    /* Their arguments are behind pointers, which a filter can't read; the C library then takes the older calls. */
    REFUSE(openat2, ENOSYS),
    REFUSE(clone3, ENOSYS),
    FORBID_IF(clone, 0, BPF_JSET, CLONE_THREAD, 0, EPERM),
    FORBID_IF(tgkill, 0, BPF_JEQ, self, 0, EPERM), /* abort() */
    FORBID_IF(prlimit64, 0, BPF_JEQ, 0, 0, EPERM), /* of this process alone */
#ifdef SYS_open
    FORBID_IF(open, 1, BPF_JSET, changes, 1, EACCES),
#endif
    VT_READER_JAIL_FORBIDS(FORBID) VT_READER_JAIL_FORBIDS_OLD(FORBID) END(SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = { G_N_ELEMENTS(filter), filter };
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void
forbid_calls(void)
{
}
#endif

void
vt_reader_jail_enter(void)
{
  vt_helper_volunteer();
  prctl(PR_SET_DUMPABLE, 0); /* no core: it would hold the slide */
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    forbid_writing();
    forbid_calls();
  }
  limit_memory();
}
