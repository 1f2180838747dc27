/* SPDX-License-Identifier: MIT */
#pragma once

#include <sys/syscall.h>
#include <glib.h>

/* Calls of the kernel that are refused with EPERM, whatever their arguments: reading needs none of them. */
#define VT_READER_JAIL_FORBIDS(each) \
  each(socket) each(socketpair) each(connect) each(bind) each(listen) each(execve) each(execveat) each(ptrace) \
    each(kill) each(tkill) each(rt_sigqueueinfo) each(rt_tgsigqueueinfo) each(pidfd_send_signal) each(pidfd_getfd) \
      each(unlinkat) each(renameat) each(renameat2) each(mkdirat) each(linkat) each(symlinkat) each(fchmod) \
        each(fchmodat) each(fchown) each(fchownat) each(truncate) each(mknodat) each(mount) each(umount2) each(bpf) \
          each(io_uring_setup) each(perf_event_open) each(process_vm_readv) each(process_vm_writev) each(userfaultfd) \
            each(keyctl)
/* The older names, of systems that have them. */
#ifdef SYS_open
#define VT_READER_JAIL_FORBIDS_OLD(each) \
  each(creat) each(fork) each(vfork) each(unlink) each(rename) each(mkdir) each(rmdir) each(link) each(symlink) \
    each(chmod) each(chown) each(lchown) each(mknod)
#else
#define VT_READER_JAIL_FORBIDS_OLD(each)
#endif

/* What a decoder never needs is taken from this process for good, as far as the system can: writing files, other processes, the
 * network, all of the machine's memory. Threads that are made later are held, too; so call it first. */
void vt_reader_jail_enter(void);
