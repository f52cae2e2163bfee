import { createHash, timingSafeEqual } from 'node:crypto'
import { posix } from 'node:path'
import ssh2, { type Client, type ConnectConfig, type SFTPWrapper } from 'ssh2'
import { AppError } from '../../../../platform/errors.ts'
import { guardedSocket } from '../../../../platform/net/guardedSocket.ts'
import { TargetError, type TargetKind, type TargetOf, type TargetTools } from '../../types.ts'
import { foldersOf, partOf } from '../paths.ts'

type Sftp = TargetOf<'sftp'>

/** Of one step of signing in; hosts that ask their directory can take a while. */
const readyMs = 30_000
/** A connection on which nothing moves is given up. */
const idleMs = 60_000

/** What every server takes at once. */
const packetBytes = 32_768
const packetsAtOnce = 32

/** Key exchanges whose numbers do not come from the server: one that sends huge ones would hold the process. */
const keyExchanges = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group14-sha256',
  'diffie-hellman-group16-sha512',
] as const

/** Files by SFTP: written beside their name and renamed, in folders that are created when they are missing. */
export const sftp: TargetKind<'sftp'> = {
  send: (tools, target, secret, file) =>
    within(tools, target, secret, async (session) => {
      await makeFolders(session, target.folder)
      const path = posix.join(target.folder, file.name)
      const part = posix.join(target.folder, partOf(file.name))
      try {
        await write(session, part, file.content(), packetsAtOnce)
      } catch (error) {
        if (codeOf(error) !== ssh2.utils.sftp.STATUS_CODE.FAILURE) throw error
        // Some servers write packets in the order they finish with them, and refuse what is not the next.
        await write(session, part, file.content(), 1)
      }
      await rename(session, part, path)
    }),
  remove: (tools, target, secret, name) =>
    within(tools, target, secret, (session) =>
      done((callback) => session.unlink(posix.join(target.folder, name), callback)),
    ),
}

/**
 * The fingerprint of the key that a server shows, as OpenSSH prints it: `SHA256:…`. Nobody signs in: a password is not for a
 * server that nobody has confirmed.
 * @throws TargetError
 */
export async function readFingerprint(
  tools: TargetTools,
  { host, port }: Pick<Sftp, 'host' | 'port'>,
): Promise<string> {
  let shown: string | undefined
  try {
    const client = await connect(tools, {
      host,
      port,
      username: 'leitstand',
      hostVerifier: (key: Buffer) => {
        shown = fingerprintOf(key)
        return false
      },
    })
    client.end()
  } catch (error) {
    if (shown === undefined) throw error
  }
  if (shown === undefined) throw new TargetError('protocol', 'The server showed no key.')
  return shown
}

/** Signs in, does the work, and signs off. */
async function within<T>(
  tools: TargetTools,
  { host, port, username, signIn, fingerprint }: Sftp,
  secret: string,
  work: (session: SFTPWrapper) => Promise<T>,
): Promise<T> {
  let isOther = false
  const client = await connect(tools, {
    host,
    port,
    username,
    ...(signIn === 'password' ? { password: secret } : { privateKey: keyOf(secret) }),
    hostVerifier: (key: Buffer) => {
      isOther = !isSame(fingerprintOf(key), fingerprint)
      return !isOther
    },
  }).catch((error: unknown) => {
    if (isOther) throw new TargetError('fingerprint', 'The server shows another key than the confirmed one.')
    throw error
  })
  const broken = new Promise<never>((_resolve, reject) => {
    client.once('error', (error) => reject(failureOf(error, tools.signal)))
    client.once('close', () =>
      reject(failureOf(new Error('The server closed the connection.'), tools.signal)),
    )
  })
  try {
    return await Promise.race([open(client).then(work), broken])
  } catch (error) {
    throw failureOf(error, tools.signal)
  } finally {
    // Nobody waits for it any more once the work has ended.
    broken.catch(() => undefined)
    client.end()
  }
}

async function connect(
  { outgoing, signal }: TargetTools,
  { host, port, ...options }: ConnectConfig & { host: string; port: number },
): Promise<Client> {
  if (signal.aborted) throw new TargetError('timeout', 'There was no time left.')
  const socket = guardedSocket(outgoing, { host, port }, null)
  socket.setNoDelay(true)
  socket.setTimeout(idleMs, () => socket.destroy(new TargetError('timeout', 'The server stopped answering.')))
  const stop = () => socket.destroy(new TargetError('timeout', 'It took too long.'))
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))
  const client = new ssh2.Client()
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).once('error', reject)
      client.once('close', () => reject(new Error('The server closed the connection.')))
      client.connect({
        ...options,
        sock: socket,
        readyTimeout: readyMs,
        algorithms: { kex: [...keyExchanges] },
      })
    })
  } catch (error) {
    client.on('error', () => undefined)
    client.end()
    socket.destroy()
    throw failureOf(error, signal)
  }
  return client
}

function open(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) =>
    client.sftp((error, session) => (error ? reject(error) : resolve(session))),
  )
}

async function makeFolders(session: SFTPWrapper, folder: string): Promise<void> {
  for (const path of foldersOf(folder)) {
    const isThere = await new Promise<boolean>((resolve, reject) =>
      session.stat(path, (error, stats) => {
        if (!error) resolve(stats.isDirectory())
        else if (codeOf(error) === ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE) resolve(false)
        else reject(error)
      }),
    )
    if (!isThere) await done((callback) => session.mkdir(path, callback))
  }
}

/** Writes with several packets under way, as the answer to each takes as long as the way to the server and back. */
async function write(
  session: SFTPWrapper,
  path: string,
  content: AsyncIterable<Uint8Array>,
  atOnce: number,
): Promise<void> {
  const handle = await new Promise<Buffer>((resolve, reject) =>
    session.open(path, 'w', (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  try {
    await writeAll((packet, position) =>
      done((callback) => session.write(handle, packet, 0, packet.length, position, callback)),
    )
  } finally {
    await done((callback) => session.close(handle, callback))
  }

  async function writeAll(send: (packet: Buffer, position: number) => Promise<void>): Promise<void> {
    const underWay = new Set<Promise<void>>()
    const failures: unknown[] = []
    let position = 0
    for await (const { buffer, byteOffset, length } of content) {
      for (let from = 0; from < length; from += packetBytes) {
        const packet = Buffer.from(buffer, byteOffset + from, Math.min(packetBytes, length - from))
        const sent = send(packet, position + from)
          .catch((error: unknown) => failures.push(error))
          .then(() => void underWay.delete(sent))
        underWay.add(sent)
        if (underWay.size >= atOnce) await Promise.race(underWay)
        if (failures.length > 0) break
      }
      if (failures.length > 0) break
      position += length
    }
    await Promise.all(underWay)
    if (failures.length > 0) throw failures[0]
  }
}

/** Replaces what has this name; servers without the extension of OpenSSH cannot do it in one step. */
async function rename(session: SFTPWrapper, from: string, to: string): Promise<void> {
  try {
    await done((callback) => session.ext_openssh_rename(from, to, callback))
  } catch (error) {
    const isMissing =
      codeOf(error) === ssh2.utils.sftp.STATUS_CODE.OP_UNSUPPORTED ||
      /does not support/i.test(error instanceof Error ? error.message : '')
    if (!isMissing) throw error
    await done((callback) => session.unlink(to, callback)).catch((missing: unknown) => {
      if (codeOf(missing) !== ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE) throw missing
    })
    await done((callback) => session.rename(from, to, callback))
  }
}

function done(begin: (callback: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))
}

/** @throws TargetError when the text is no private key, or one with a passphrase */
function keyOf(secret: string): string {
  const key = ssh2.utils.parseKey(secret)
  const [first] = Array.isArray(key) ? key : [key]
  if (first instanceof Error || !first?.isPrivateKey())
    throw new TargetError('signIn', first instanceof Error ? first.message : 'This is no private key.')
  return secret
}

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** What went wrong, of what ssh2 and the system say. */
function failureOf(error: unknown, signal: AbortSignal): TargetError {
  if (error instanceof TargetError) return error
  if (signal.aborted) return new TargetError('timeout', 'It took too long.', { cause: error })
  const detail = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const { level } = error as { level?: string }
  const because = (failure: ConstructorParameters<typeof TargetError>[0]) =>
    new TargetError(failure, detail, { cause: error })
  if (error instanceof AppError)
    return because(error.code === 'OUTGOING_ADDRESS_FORBIDDEN' ? 'forbidden' : 'unreachable')
  if (level === 'client-authentication') return because('signIn')
  if (level === 'client-timeout') return because('timeout')
  if (level === 'protocol' || level === 'handshake') return because('protocol')
  if (typeof code === 'number') return because(code === noSpace || code === quota ? 'full' : 'refused')
  return because('unreachable')
}

/** Status codes of later versions of the protocol that servers of version 3 send as well. */
const noSpace = 14
const quota = 15
