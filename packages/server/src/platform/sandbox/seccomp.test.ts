import { describe, expect, it, test } from 'vitest'
import { hasSeccomp, type SeccompPolicy, seccompFilter } from './seccomp.ts'
import { type Syscall, syscalls } from './syscalls.ts'

const architectures = { x64: [0xc000003e, 0], arm64: [0xc00000b7, 1] } as const

const policy: SeccompPolicy = {
  allow: ['read', 'write', 'openat', 'mmap'],
  unknown: ['clone3'],
  rules: [
    { syscall: 'clone', argument: 0, mask: 0x7e02_0080, equals: [0] },
    { syscall: 'socketpair', argument: 0, mask: 0xffff_ffff, equals: [1, 2] },
  ],
  otherwise: 'refuse',
}

const names = { 2147418112: 'allow', 2147483648: 'kill', 327681: 'EPERM', 327718: 'ENOSYS' }

/** Interprets a filter program like the kernel. */
function judge(program: Buffer, architecture: number, number: number, args: readonly number[] = []) {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(architecture, 4)
  for (const [index, value] of args.entries()) data.writeUInt32LE(value >>> 0, 16 + 8 * index)
  let accumulator = 0
  for (let at = 0; at < program.length; at += 8) {
    const operand = program.readUInt32LE(at + 4)
    const jump = (isTrue: boolean) => 8 * (program[at + (isTrue ? 2 : 3)] ?? 0)
    switch (program.readUInt16LE(at)) {
      case 0x20:
        accumulator = data.readUInt32LE(operand)
        break
      case 0x54:
        accumulator = (accumulator & operand) >>> 0
        break
      case 0x15:
        at += jump(accumulator === operand)
        break
      case 0x35:
        at += jump(accumulator >= operand)
        break
      case 0x06:
        return names[operand as keyof typeof names] ?? operand
      default:
        throw new Error('an instruction that is not known')
    }
  }
  throw new Error('the program ends without an answer')
}

describe.each(['x64', 'arm64'] as const)('a filter for %s', (name) => {
  const [audit, column] = architectures[name]
  const program = seccompFilter(policy, name)
  const answer = (call: Syscall, ...args: number[]) =>
    judge(program, audit, syscalls[call][column] ?? -1, args)

  it('allows what is named and refuses everything else', () => {
    for (const call of policy.allow) expect(answer(call)).toBe('allow')
    for (const call of ['ptrace', 'mount', 'unshare', 'setns', 'bpf', 'socket', 'execve'] as const)
      expect(answer(call)).toBe('EPERM')
    expect(answer('clone3')).toBe('ENOSYS')
    const numbers = Array.from({ length: 600 }, (_, number) => judge(program, audit, number))
    expect(numbers.filter((each) => each === 'allow')).toHaveLength(policy.allow.length + 1)
  })

  test.each([
    ['threads', 'clone', 0x3d0f00, 'allow'],
    ['a user namespace', 'clone', 0x1000_0011, 'EPERM'],
    ['a mount namespace', 'clone', 0x0002_0011, 'EPERM'],
    ['a pair of Unix sockets', 'socketpair', 1, 'allow'],
    ['the second of the values', 'socketpair', 2, 'allow'],
    ['another family', 'socketpair', 16, 'EPERM'],
  ] as const)('judges by arguments: %s', (_title, call, argument, expected) => {
    expect(answer(call, argument)).toBe(expected)
  })

  it('ends a process that speaks another ABI', () => {
    const read = syscalls.read[column]
    expect(judge(program, 0x40000003, read)).toBe('kill')
    expect(judge(program, audit, read + 0x40000000)).toBe('kill')
    expect(judge(program, audit, -1)).toBe('kill')
  })
})

it('ends the process at everything else where the policy says so', () => {
  const program = seccompFilter({ allow: ['read'], otherwise: 'kill' }, 'x64')
  expect(judge(program, 0xc000003e, syscalls.write[0])).toBe('kill')
})

it('is made for no other architecture', () => {
  expect(hasSeccomp('riscv64')).toBe(false)
  expect(() => seccompFilter(policy, 'riscv64')).toThrow('riscv64')
})

it('leaves out calls that the architecture does not have', () => {
  const lengthFor = (architecture: string, allow: readonly Syscall[]) =>
    seccompFilter({ allow, otherwise: 'kill' }, architecture).length
  expect(syscalls.dup2[1]).toBeNull()
  expect(lengthFor('arm64', ['read', 'dup2'])).toBe(lengthFor('arm64', ['read']))
  expect(lengthFor('x64', ['read', 'dup2'])).toBe(lengthFor('x64', ['read']) + 16)
})

it('is refused where the kernel would not take it: more than 4096 instructions, jumps over more than 255', () => {
  const allowing = (count: number) =>
    seccompFilter({ allow: Array<Syscall>(count).fill('read'), otherwise: 'kill' }, 'x64')
  expect(allowing(2044)).toHaveLength(8 * 4095)
  expect(() => allowing(2045)).toThrow('too long')
  const comparing = (count: number) => {
    const rule = { syscall: 'clone', argument: 0, mask: 0xffff, equals: [...Array(count).keys()] } as const
    return judge(seccompFilter({ allow: [], rules: [rule], otherwise: 'kill' }, 'x64'), 0xc000003e, 0)
  }
  expect(comparing(126)).toBe('kill')
  expect(() => comparing(127)).toThrow('too far')
})
