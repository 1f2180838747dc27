/* SPDX-License-Identifier: MIT
 *
 * Each part is there for a file that has taken over the decoder. A system that lacks one of them leaves the others. */
#define _GNU_SOURCE
#include "slide/vt-reader-jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

#include "base/vt-helper.h"

#define LEAST_BYTES ((guint64)4 << 30)
#define FILTER_S 10
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

#ifdef HAVE_SECCOMP
/* What reading does not need. */
static const int forbidden[] = {
  SCMP_SYS(socket),
  SCMP_SYS(socketpair),
  SCMP_SYS(connect),
  SCMP_SYS(bind),
  SCMP_SYS(listen),
  SCMP_SYS(execve),
  SCMP_SYS(execveat),
  SCMP_SYS(fork),
  SCMP_SYS(vfork),
  SCMP_SYS(ptrace),
  SCMP_SYS(kill),
  SCMP_SYS(tkill),
  SCMP_SYS(unlink),
  SCMP_SYS(unlinkat),
  SCMP_SYS(rename),
  SCMP_SYS(renameat),
  SCMP_SYS(renameat2),
  SCMP_SYS(mkdir),
  SCMP_SYS(mkdirat),
  SCMP_SYS(rmdir),
  SCMP_SYS(link),
  SCMP_SYS(linkat),
  SCMP_SYS(symlink),
  SCMP_SYS(symlinkat),
  SCMP_SYS(chmod),
  SCMP_SYS(fchmod),
  SCMP_SYS(fchmodat),
  SCMP_SYS(chown),
  SCMP_SYS(fchown),
  SCMP_SYS(fchownat),
  SCMP_SYS(lchown),
  SCMP_SYS(truncate),
  SCMP_SYS(creat),
  SCMP_SYS(mknod),
  SCMP_SYS(mknodat),
  SCMP_SYS(mount),
  SCMP_SYS(umount2),
  SCMP_SYS(bpf),
  SCMP_SYS(io_uring_setup),
  SCMP_SYS(perf_event_open),
  SCMP_SYS(process_vm_readv),
  SCMP_SYS(process_vm_writev),
  SCMP_SYS(userfaultfd),
  SCMP_SYS(keyctl),
  SCMP_SYS(pidfd_getfd),
};

/* Opening a file for anything but reading. `flags`: which argument says how. */
static void
forbid_open(scmp_filter_ctx filter, int call, unsigned flags)
{
  static const guint64 writes[] = { O_WRONLY, O_RDWR }, changes[] = { O_CREAT, O_TRUNC };
  for (gsize i = 0; i < G_N_ELEMENTS(writes); i++)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), call, 1,
                     SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, writes[i]));
  for (gsize i = 0; i < G_N_ELEMENTS(changes); i++)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), call, 1,
                     SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, changes[i], changes[i]));
}

static void
forbid_calls(void)
{
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter)
    return;
  alarm(FILTER_S); /* takes a millisecond, but where an allocation fails it may go on for ever */
  for (gsize i = 0; i < G_N_ELEMENTS(forbidden); i++)
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), forbidden[i], 0);
  forbid_open(filter, SCMP_SYS(open), 1);
  forbid_open(filter, SCMP_SYS(openat), 2);
  /* Their arguments are behind pointers, which a filter can't read; the C library then takes the older calls. */
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, SCMP_CMP(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
#if SCMP_VER_MAJOR > 2 || (SCMP_VER_MAJOR == 2 && SCMP_VER_MINOR >= 5)
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree, not a list: opening a slide makes 1,500 calls */
#endif
  seccomp_load(filter);
  seccomp_release(filter);
  alarm(0);
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
  limit_memory(); /* at last, so that none of this lacks memory */
}
