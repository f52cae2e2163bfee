import { execFile } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'
import { promisify } from 'node:util'
import { descendantsOf, listProcesses, type Process } from './procfs.ts'

const run = promisify(execFile)
const attemptsMax = 20

/** The place of the data folder, which can be made full. */
export interface Disk extends AsyncDisposable {
  /**
   * `tmpfs`: a file system of its own that is made as small as what is on it. `file size limit`: writes of the database's
   * processes are refused by the system, which PostgreSQL takes for a full disk. `none`: neither is possible here, which
   * may turn out only when it is tried.
   */
  readonly kind: 'tmpfs' | 'file size limit' | 'none'
  /**
   * Leaves no room; may be called again, for what was given back meanwhile.
   * @param server process above those of the database
   */
  fill(server: number): Promise<void>
  free(): Promise<void>
}

/**
 * Makes a folder whose space can be taken away.
 * @param path an empty folder, to be mounted upon
 * @param bytesMax what may be written there while there is room
 */
export async function openDisk(path: string, bytesMax: number): Promise<Disk> {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  if (await succeeds('mount', ['-t', 'tmpfs', '-o', `size=${bytesMax},mode=0711`, 'tmpfs', path]))
    return tmpfs(path, bytesMax)
  if (await succeeds('prlimit', ['--version'])) return fileSizeLimit()
  const nothing = async () => undefined
  return { kind: 'none', fill: nothing, free: nothing, [Symbol.asyncDispose]: nothing }
}

function tmpfs(path: string, bytesMax: number): Disk {
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, path])
  return {
    kind: 'tmpfs',
    fill: async () => {
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = statfsSync(path)
        try {
          await resize((blocks - bfree) * bsize)
          return
        } catch (error) {
          // Something was written between the two.
          if (attempt === attemptsMax) throw error
        }
      }
    },
    free: async () => void (await resize(bytesMax)),
    // Lazily: a file that is still held open anywhere must not leave the mount behind.
    [Symbol.asyncDispose]: async () => void (await run('umount', ['-l', path])),
  }
}

function fileSizeLimit(): Disk {
  let limited: Process[] = []
  let kind: Disk['kind'] = 'file size limit'
  /** Only the soft limit, which may be raised again. @returns whether any process has it now */
  const limit = async (size: string) => {
    const done = await Promise.all(
      limited.map(({ pid }) => succeeds('prlimit', [`--pid=${pid}`, `--fsize=${size}:`])),
    )
    return done.includes(true)
  }
  return {
    get kind() {
      return kind
    },
    fill: async (server) => {
      limited = descendantsOf(server, listProcesses()).filter(({ command }) => /\bpostgres\b/.test(command))
      // Some may have ended meanwhile, but not all of them: then it is not permitted.
      if (limited.length > 0 && !(await limit('0'))) kind = 'none'
    },
    free: async () => {
      await limit('unlimited')
      limited = []
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(program, [...args])
    return true
  } catch {
    return false
  }
}
