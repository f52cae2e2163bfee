import type { SeccompPolicy } from '../sandbox/seccomp.ts'

/** Flag of `clone`: a thread of the same process. */
const CLONE_THREAD = 0x10000

/**
 * System calls that Node and V8 make without using files, programs or network. `execve` starts Node itself;
 * afterwards there is nothing else to start.
 */
export const nodePolicy: SeccompPolicy = {
  allow: [
    // memory
    ...(['brk', 'mmap', 'munmap', 'mprotect', 'mremap', 'madvise', 'membarrier'] as const),
    // its descriptors, and the files it reads at start
    ...([
      'read',
      'readv',
      'pread64',
      'write',
      'writev',
      'pwrite64',
      'close',
      'lseek',
      'fcntl',
      'ioctl',
    ] as const),
    ...([
      'open',
      'openat',
      'access',
      'faccessat',
      'faccessat2',
      'stat',
      'lstat',
      'fstat',
      'newfstatat',
    ] as const),
    ...(['statx', 'readlink', 'readlinkat', 'getcwd', 'getdents64', 'dup', 'dup2', 'dup3'] as const),
    ...(['pipe', 'pipe2', 'eventfd2', 'poll', 'ppoll', 'getsockopt', 'getsockname', 'shutdown'] as const),
    ...(['epoll_create', 'epoll_create1', 'epoll_ctl', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2'] as const),
    ...(['recvmsg', 'recvfrom', 'sendmsg', 'sendto'] as const),
    // threads, signals and time
    ...(['execve', 'futex', 'set_robust_list', 'set_tid_address', 'rseq', 'arch_prctl', 'prctl'] as const),
    ...(['rt_sigaction', 'rt_sigprocmask', 'rt_sigreturn', 'sigaltstack', 'restart_syscall'] as const),
    ...(['kill', 'tgkill', 'exit', 'exit_group', 'sched_yield', 'sched_getaffinity', 'getpriority'] as const),
    ...(['clock_gettime', 'clock_getres', 'clock_nanosleep', 'nanosleep', 'gettimeofday'] as const),
    // queries about itself and the machine
    ...(['getpid', 'gettid', 'getppid', 'getuid', 'geteuid', 'getgid', 'getegid', 'getrandom'] as const),
    ...(['getrlimit', 'prlimit64', 'getrusage', 'sysinfo', 'uname', 'capget'] as const),
  ],
  rules: [{ syscall: 'clone', argument: 0, mask: CLONE_THREAD, equals: [CLONE_THREAD] }],
  unknown: ['clone3', 'io_uring_setup'],
  otherwise: 'refuse',
}
