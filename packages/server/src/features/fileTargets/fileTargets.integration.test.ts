import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { FileTarget, type FileTargetFailure } from '@leitstand/contract/fileTargets'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRclone, startS3, startSshd } from '../../../test/fileServers.ts'
import { Outgoing } from '../../platform/net/outgoing.ts'
import { checkTarget, type OutgoingFile, readFingerprint, sendFile, TargetError } from './index.ts'

const outgoing = new Outgoing(['127.0.0.0/8'])
const tools = { outgoing, signal: AbortSignal.timeout(60_000) }

const stack = new AsyncDisposableStack()
let sshd: Awaited<ReturnType<typeof startSshd>>
let passwords: Awaited<ReturnType<typeof startRclone>>
let dav: Awaited<ReturnType<typeof startRclone>>
let bucket: Awaited<ReturnType<typeof startS3>>
let passwordsFingerprint: string

beforeAll(async () => {
  sshd = stack.use(await startSshd())
  passwords = stack.use(await startRclone('sftp'))
  dav = stack.use(await startRclone('webdav'))
  bucket = stack.use(await startS3())
  passwordsFingerprint = await readFingerprint(tools, { host: '127.0.0.1', port: passwords.port })
}, 300_000)
afterAll(() => stack.disposeAsync())

/** Larger than a part of S3 and than what fits between two processes. */
const large = Buffer.alloc(12_000_000, 'Leitstand;42\n')

function fileOf(bytes: Buffer, name = 'Räume 2026-11.csv'): OutgoingFile {
  return {
    name,
    type: 'text/csv',
    size: bytes.length,
    content: async function* () {
      for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000)
    },
  }
}

async function failureOf(promise: Promise<unknown>): Promise<FileTargetFailure | 'none'> {
  try {
    await promise
    return 'none'
  } catch (error) {
    if (error instanceof TargetError) return error.failure
    throw error
  }
}

const withKey = (changes: object = {}) =>
  FileTarget.parse({
    kind: 'sftp',
    host: '127.0.0.1',
    port: sshd.port,
    username: sshd.username,
    signIn: 'privateKey',
    fingerprint: sshd.fingerprint,
    folder: 'reports/2026',
    ...changes,
  })
const withPassword = (changes: object = {}) =>
  FileTarget.parse({
    kind: 'sftp',
    host: '127.0.0.1',
    port: passwords.port,
    username: 'bridge',
    fingerprint: passwordsFingerprint,
    folder: 'reports',
    ...changes,
  })
const inBucket = (changes: object = {}) =>
  FileTarget.parse({
    kind: 's3',
    endpoint: `http://127.0.0.1:${bucket.port}`,
    bucket: 'reports',
    folder: '/a/b/',
    accessKeyId: 'S3RVER',
    ...changes,
  })
const byDav = (changes: object = {}) =>
  FileTarget.parse({
    kind: 'webdav',
    url: `http://127.0.0.1:${dav.port}/`,
    folder: 'Berichte/2026 & mehr',
    username: 'bridge',
    ...changes,
  })

describe('SFTP', () => {
  it('stores a file with a key in folders it creates, and replaces it', async () => {
    await sendFile(tools, withKey(), sshd.privateKey, fileOf(Buffer.from('old')))
    await sendFile(tools, withKey(), sshd.privateKey, fileOf(large))
    const folder = join(sshd.folder, 'reports/2026')
    expect(readdirSync(folder)).toEqual(['Räume 2026-11.csv'])
    expect(readFileSync(join(folder, 'Räume 2026-11.csv')).equals(large)).toBe(true)
  })

  it('stores one with a password on a server without the extensions of OpenSSH, and replaces it', async () => {
    await sendFile(tools, withPassword(), 'secret', fileOf(Buffer.from('old')))
    await sendFile(tools, withPassword(), 'secret', fileOf(large))
    expect(readdirSync(join(passwords.folder, 'reports'))).toEqual(['Räume 2026-11.csv'])
    expect(readFileSync(join(passwords.folder, 'reports/Räume 2026-11.csv')).equals(large)).toBe(true)
  })

  it('shows the fingerprint that the server prints', async () => {
    expect(await readFingerprint(tools, { host: '127.0.0.1', port: sshd.port })).toBe(sshd.fingerprint)
  })

  it('signs in nowhere else than at the confirmed server', async () => {
    const fingerprint = passwordsFingerprint
    expect(await failureOf(sendFile(tools, withKey({ fingerprint }), sshd.privateKey, fileOf(large)))).toBe(
      'fingerprint',
    )
  })

  it('says that a password is wrong, and that a text is no key', async () => {
    expect(await failureOf(sendFile(tools, withPassword(), 'wrong', fileOf(large)))).toBe('signIn')
    expect(await failureOf(sendFile(tools, withKey(), 'no key', fileOf(large)))).toBe('signIn')
  })

  it('says that a folder cannot be created where a file is', async () => {
    writeFileSync(join(sshd.folder, 'taken'), '')
    expect(
      await failureOf(sendFile(tools, withKey({ folder: 'taken/a' }), sshd.privateKey, fileOf(large))),
    ).toBe('refused')
  })

  it('ends with its time when a server accepts and says nothing', async () => {
    await using silent = await listen(() => {})
    const target = withPassword({ port: silent.port })
    const ending = new AbortController()
    const sent = failureOf(sendFile({ outgoing, signal: ending.signal }, target, 'secret', fileOf(large)))
    await silent.called
    ending.abort()
    expect(await sent).toBe('timeout')
  })

  it('says that something is no SSH server, and that nobody answers', async () => {
    await using web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await failureOf(sendFile(tools, withPassword({ port: web.port }), 'secret', fileOf(large)))).toBe(
      'protocol',
    )
    const nobody = withPassword({ port: 1 })
    expect(await failureOf(sendFile(tools, nobody, 'secret', fileOf(large)))).toBe('unreachable')
  })
})

describe('S3', () => {
  it('stores a file in parts, and replaces it', async () => {
    await sendFile(tools, inBucket(), 'S3RVER', fileOf(Buffer.from('old')))
    await sendFile(tools, inBucket(), 'S3RVER', fileOf(large))
    const names = readdirSync(join(bucket.folder, 'a/b'))
    const stored = names.find(
      (name) => name.includes('object') && !name.includes('metadata') && !name.includes('md5'),
    )
    expect(readFileSync(join(bucket.folder, 'a/b', stored ?? '')).equals(large)).toBe(true)
  })

  it('says that the key is wrong, and that there is no bucket', async () => {
    // This server does not check signatures, only who signed.
    expect(
      await failureOf(sendFile(tools, inBucket({ accessKeyId: 'somebody' }), 'S3RVER', fileOf(large))),
    ).toBe('signIn')
    expect(await failureOf(sendFile(tools, inBucket({ bucket: 'nothing' }), 'S3RVER', fileOf(large)))).toBe(
      'refused',
    )
  })

  it('says that an answer is none of S3', async () => {
    await using web = await listen((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 418 x\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'),
      ),
    )
    const target = inBucket({ endpoint: `http://127.0.0.1:${web.port}` })
    expect(await failureOf(sendFile(tools, target, 'S3RVER', fileOf(Buffer.from('x'))))).toBe('refused')
  })
})

describe('WebDAV', () => {
  it('stores a file in folders it creates, and replaces it', async () => {
    await sendFile(tools, byDav(), 'secret', fileOf(Buffer.from('old')))
    await sendFile(tools, byDav(), 'secret', fileOf(large))
    const folder = join(dav.folder, 'Berichte/2026 & mehr')
    expect(readdirSync(folder)).toEqual(['Räume 2026-11.csv'])
    expect(readFileSync(join(folder, 'Räume 2026-11.csv')).equals(large)).toBe(true)
  })

  it('says that the password is wrong, and that the folder of the address is missing', async () => {
    expect(await failureOf(sendFile(tools, byDav(), 'wrong', fileOf(large)))).toBe('signIn')
    const nowhere = byDav({ url: `http://127.0.0.1:${dav.port}/not/there`, folder: '' })
    expect(await failureOf(sendFile(tools, nowhere, 'secret', fileOf(large)))).toBe('refused')
  })

  it('ends when the server refuses before it has read the file', async () => {
    await using web = await listen((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 507 Insufficient Storage\r\nconnection: close\r\n\r\n')),
    )
    const target = byDav({ url: `http://127.0.0.1:${web.port}`, folder: '' })
    expect(['full', 'unreachable']).toContain(
      await failureOf(sendFile(tools, target, 'secret', fileOf(large))),
    )
  })
})

describe('every kind', () => {
  it('is tried with a file that is gone afterwards', async () => {
    for (const [target, secret, folder] of [
      [withKey({ folder: 'tried' }), sshd.privateKey, join(sshd.folder, 'tried')],
      [withPassword({ folder: 'tried' }), 'secret', join(passwords.folder, 'tried')],
      [byDav({ folder: 'tried' }), 'secret', join(dav.folder, 'tried')],
    ] as const) {
      expect(await checkTarget(tools, target, secret)).toEqual({ left: null })
      expect(readdirSync(folder)).toEqual([])
    }
    expect(await checkTarget(tools, inBucket({ folder: 'tried' }), 'S3RVER')).toEqual({ left: null })
  })

  it('connects only where the operator allows it', async () => {
    const closed = { ...tools, outgoing: new Outgoing([]) }
    for (const [target, secret] of [
      [withKey(), sshd.privateKey],
      [withPassword(), 'secret'],
      [inBucket(), 'S3RVER'],
      [byDav(), 'secret'],
    ] as const)
      expect(await failureOf(sendFile(closed, target, secret, fileOf(large))), target.kind).toBe('forbidden')
  })

  it('reports when the file cannot be read', async () => {
    const broken: OutgoingFile = {
      ...fileOf(large),
      content: async function* () {
        yield large.subarray(0, 100_000)
        throw new TargetError('timeout', 'the file is gone')
      },
    }
    for (const [target, secret] of [
      [withKey(), sshd.privateKey],
      [inBucket(), 'S3RVER'],
      [byDav(), 'secret'],
    ] as const)
      expect(await failureOf(sendFile(tools, target, secret, broken))).not.toBe('none')
  })

  it('has no way out of its folder', () => {
    for (const folder of ['..', 'a/../b', './a', 'a\\b', 'a\0b', 'a\nb'])
      expect(FileTarget.safeParse({ ...withKey(), folder }).success, folder).toBe(false)
    for (const host of ['a b', 'a/b', 'user@host', 'http://a', '', '-a'])
      expect(FileTarget.safeParse({ ...withKey(), host }).success, host).toBe(false)
  })
})

async function listen(answer: (socket: import('node:net').Socket) => void) {
  let isCalled = () => {}
  const called = new Promise<void>((resolve) => {
    isCalled = resolve
  })
  const sockets = new Set<import('node:net').Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    answer(socket)
    isCalled()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    called,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
