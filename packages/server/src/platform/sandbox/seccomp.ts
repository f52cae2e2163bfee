import { type Syscall, syscalls } from './syscalls.ts'

/** Supported architectures, with their number in the kernel's audit interface. */
const architectures = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
} as const

/** The bit that marks calls of the x32 ABI, which numbers the same calls differently. */
const x32Bit = 0x40000000

/** The kernel rejects longer programs. */
const instructionsMax = 4096

const errnos = { EPERM: 1, ENOSYS: 38 } as const
const actions = { allow: 0x7fff0000, kill: 0x80000000, errno: 0x00050000 } as const

/** Classic BPF: load a word of the call's data, compare, mask, return. */
const code = { load: 0x20, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, and: 0x54, return: 0x06 } as const

/** Offsets in the kernel's `seccomp_data`. Both architectures are little-endian. */
const offsets = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index } as const

/**
 * A call that is allowed only with certain arguments: those whose lower 32 bits, masked, are one of `equals`.
 * The upper 32 bits are not checked, so only use arguments that the kernel takes as an `int` or as 32-bit
 * flags.
 */
export interface ArgumentRule {
  syscall: Syscall
  /** 0 to 5 */
  argument: number
  mask: number
  equals: readonly number[]
}

export interface SeccompPolicy {
  /** calls allowed with any arguments */
  allow: readonly Syscall[]
  /** calls allowed with some arguments; one rule for each call */
  rules?: readonly ArgumentRule[]
  /**
   * calls that fail as if the kernel did not have them, so that the C library falls back to older ones that
   * can be filtered
   */
  unknown?: readonly Syscall[]
  /** everything else: fails with EPERM, or ends the process */
  otherwise: 'refuse' | 'kill'
}

/** Whether a filter can be made for an architecture (Node's name for it). */
export function hasSeccomp(architecture: string): architecture is keyof typeof architectures {
  return architecture in architectures
}

/**
 * Assembles a seccomp filter: an array of `struct sock_filter` as `bwrap --seccomp FD` reads it. Calls of
 * another architecture (32-bit programs) and of the x32 ABI end the process, because their numbers mean other
 * calls.
 * @param architecture as in `process.arch`
 * @throws Error if the architecture is not supported
 */
export function seccompFilter(policy: SeccompPolicy, architecture: string = process.arch): Buffer {
  if (!hasSeccomp(architecture)) throw new Error(`There is no seccomp filter for ${architecture}`)
  const { audit, column } = architectures[architecture]
  const numberOf = (name: Syscall): number[] => {
    const number = syscalls[name][column]
    return number === null ? [] : [number]
  }
  const refused = actions.errno | errnos.EPERM
  const program = [
    ...[instruction(code.load, offsets.architecture), ...unless(audit, actions.kill)],
    instruction(code.load, offsets.number),
    // No call of aarch64 has a number this high.
    ...[instruction(code.jumpIfAtLeast, x32Bit, 0, 1), instruction(code.return, actions.kill)],
    ...policy.allow.flatMap(numberOf).flatMap((number) => when(number, actions.allow)),
    ...(policy.unknown ?? [])
      .flatMap(numberOf)
      .flatMap((number) => when(number, actions.errno | errnos.ENOSYS)),
    ...(policy.rules ?? []).flatMap((rule) =>
      numberOf(rule.syscall).flatMap((number) => ruled(number, rule, refused)),
    ),
    instruction(code.return, policy.otherwise === 'kill' ? actions.kill : refused),
  ]
  if (program.length > instructionsMax) throw new Error('The seccomp filter is too long')
  return Buffer.concat(program)
}

/** `struct sock_filter`: skips `whenTrue` or `whenFalse` instructions. */
function instruction(operation: number, operand: number, whenTrue = 0, whenFalse = 0): Buffer {
  if (whenTrue > 255 || whenFalse > 255) throw new Error('A jump of the seccomp filter is too far')
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(operation, 0)
  bytes[2] = whenTrue
  bytes[3] = whenFalse
  bytes.writeUInt32LE(operand >>> 0, 4)
  return bytes
}

function when(value: number, action: number): Buffer[] {
  return [instruction(code.jumpIfEqual, value, 0, 1), instruction(code.return, action)]
}

function unless(value: number, action: number): Buffer[] {
  return [instruction(code.jumpIfEqual, value, 1, 0), instruction(code.return, action)]
}

/** Leaves the number of the call in the accumulator only if it is another call. */
function ruled(number: number, { argument, mask, equals }: ArgumentRule, refused: number): Buffer[] {
  const body = [
    instruction(code.load, offsets.argument(argument)),
    instruction(code.and, mask),
    ...equals.flatMap((value) => when(value, actions.allow)),
    instruction(code.return, refused),
  ]
  return [instruction(code.jumpIfEqual, number, 0, body.length), ...body]
}
